import { NativeBlock } from "../../../ffi/block.ts";
import { NativeFence } from "../../../wsi/fence/native_fence.ts";
import type { AtomicState, SettableObject } from "../card/commit.ts";

const NO_FENCE = -1;

/** A place where the kernel puts the fence of a commit. */
export class OutFence {
  readonly #place = new NativeBlock(4);

  /** Asks for a fence by a property, which has the address of the place. Does nothing if the object has no such property. */
  ask(state: AtomicState, object: SettableObject, property: string): void {
    this.#place.view.setInt32(0, NO_FENCE, true);
    if (object.properties[property]) state.tell(object, property, this.#place.address);
  }

  /** After the commit. Returns the fence, which the caller owns; `undefined` if there is none. */
  take(): NativeFence | undefined {
    const descriptor = this.#place.view.getInt32(0, true);
    this.#place.view.setInt32(0, NO_FENCE, true);
    return descriptor === NO_FENCE ? undefined : NativeFence.adopt(descriptor);
  }

  /** Frees the place. */
  close(): void {
    this.#place.close();
  }
}
