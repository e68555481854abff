import { callback, checkOptions, number, oneOf, type OptionRules } from "../../ffi/check_options.ts";
import type { AsyncComposer } from "../composer.ts";
import { aidlComposer } from "./aidl/serve.ts";
import type { LocalObject } from "./bus.ts";
import { OneClient } from "./served/one_client.ts";

/** Settings of {@linkcode composerService}. */
export interface ComposerServiceOptions {
  /** The language of the interface: AIDL since Android 13, HIDL before. Default `"aidl"`. */
  readonly as?: "aidl";
  /** The version of the interface: 1 to 4 for AIDL. Default 3. */
  readonly version?: number;
  /** The Android release whose parcels are spoken, 10 to 16. Default 16. */
  readonly release?: number;
  /** Gets a line when a client breaks a rule, and when a command fails. Default: no messages. */
  readonly log?: (message: string) => void;
}

const RULES: OptionRules<ComposerServiceOptions> = {
  as: oneOf("aidl"),
  version: number,
  release: number,
  log: callback("takes a sentence"),
};

/** A composer as an object of binder, for a service manager to know. */
export interface ComposerService extends AsyncDisposable {
  /** The object. */
  readonly object: LocalObject;
  /** The name of its interface. */
  readonly descriptor: string;
  /** Whether a client is connected. */
  readonly hasClient: boolean;
  /** Resolves when what the client had is cleared away. The caller keeps and closes the composer. */
  close(): Promise<void>;
}

/**
 * Makes the service of a composer, for one client at a time, as Android's is. When the client is gone, the next finds
 * none of its layers, virtual displays and settings.
 */
export function composerService(composer: AsyncComposer, options: ComposerServiceOptions = {}): ComposerService {
  checkOptions("composerService()", options, RULES);
  const { version = 3, release = 16, log = () => {} } = options, clients = new OneClient();
  const close = () => clients.end();
  return {
    object: aidlComposer(composer, { release, version }, clients, log),
    descriptor: "android.hardware.graphics.composer3.IComposer",
    get hasClient() {
      return clients.isConnected;
    },
    close,
    [Symbol.asyncDispose]: close,
  };
}
