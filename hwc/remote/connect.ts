import { callback, checkOptions, number, type OptionRules, yesOrNo } from "../../ffi/check_options.ts";
import type { Composer } from "../composer.ts";
import type { HwcError } from "../hwc_error.ts";
import { connectTo } from "./connection.ts";
import { RemoteClient } from "./remote_client.ts";

/** A composer of another process. */
export type RemoteComposer = Composer & AsyncDisposable & {
  /** Closes, and resolves when the thread that has waited for callbacks is free: for tests that look for what is left. */
  [Symbol.asyncDispose](): Promise<void>;
  /** Sends the commands that wait for the frame they belong to. Throws the first that failed. */
  flush(): void;
  /**
   * Whether what is served takes fences of every kind. A vendor's device, which takes sync_files alone, gets others
   * when they are signalled: presentDisplay waits for that, five seconds at most.
   */
  readonly takesAnyFence: boolean;
  /** Whether the server is there, as far as is known. */
  readonly isConnected: boolean;
};

/** Settings of {@linkcode connectComposer}. */
export interface RemoteOptions {
  /** Milliseconds that this thread waits for an answer before the server counts as gone. Default 10000. */
  readonly timeout?: number;
  /** Sends every command at once and by itself, so that each throws its own error: slower. Default `false`. */
  readonly oneByOne?: boolean;
  /** Gets each command that failed among those sent together, with its place. Default: the call that sends them throws the first, and is not done itself. */
  readonly commandFailed?: (error: HwcError, index: number) => void;
  /** Called once when the server has gone, with the reason; all later calls throw. */
  readonly lost?: (reason: string) => void;
}

const RULES: OptionRules<RemoteOptions> = {
  timeout: number,
  oneByOne: yesOrNo,
  commandFailed: callback("takes an error"),
  lost: callback("takes the reason"),
};

/**
 * Connects to a composer that {@linkcode serveComposer} serves in another
 * process. It answers as one in this process does: a call waits for the other
 * process, no longer than the time-out.
 *
 * Commands without an answer wait for the next one that has one, and go over
 * together: a frame takes two answers. What is wrong with such a command is
 * known only then. Buffers go over once, as file descriptors, until they are
 * closed here; they must have a file. Fences go over as file descriptors; those
 * that are pending when either process dies are signalled by the kernel.
 * Callbacks come by the event loop, HOTPLUG for what is connected at once.
 *
 * When the server dies, or does not answer in time, calls throw NO_RESOURCES.
 * Needs `--allow-ffi` only. Throws an {@linkcode HwcError} NO_RESOURCES where
 * nobody serves, or another client is connected.
 *
 * @example
 * ```ts ignore
 * import { connectComposer, SurfaceFlinger } from "@pumice/gfx/hwc";
 *
 * using composer = connectComposer("/run/user/1000/composer");
 * using flinger = new SurfaceFlinger({ composer });
 * ```
 */
export function connectComposer(path: string, options: RemoteOptions = {}): RemoteComposer {
  checkOptions("connectComposer()", options, RULES);
  const { timeout = DEFAULT_TIMEOUT } = options;
  return new RemoteClient(connectTo(path, timeout), { ...options, timeout }).composer;
}

const DEFAULT_TIMEOUT = 10_000;
