import { refuse } from "../../core/refusal.ts";
import { ERROR } from "../../types.ts";
import type { RemoteObject } from "../bus.ts";
import type { BinderValue } from "../parcel/aidl/types.ts";

/** The callback object of a client, whose death is the client's. */
export class ClientCallback {
  #remote: RemoteObject | undefined;
  #forget: (() => void) | undefined;

  /** Takes it, once. */
  take(value: BinderValue | null, died: () => void): RemoteObject {
    if (!value || !("remote" in value)) refuse(ERROR.BAD_PARAMETER, "the callback is not an object of another process");
    if (this.#remote) {
      value.remote.release();
      refuse(ERROR.BAD_PARAMETER, "there is a callback already");
    }
    this.#forget = value.remote.onDeath(died);
    return this.#remote = value.remote;
  }

  /** Gives it back. */
  release(): void {
    this.#forget?.();
    this.#remote?.release();
    this.#remote = undefined;
  }
}
