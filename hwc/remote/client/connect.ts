import { callback, checkOptions, number, type OptionRules, yesOrNo } from "../../../ffi/check_options.ts";
import type { BinderComposer } from "../../binder/connected/composer.ts";
import type { BinderConnectOptions } from "../../binder/options.ts";
import type { Composer } from "../../composer.ts";
import type { HwcError } from "../../hwc_error.ts";
import { connectTo } from "./connection.ts";
import { RemoteClient } from "./remote_client.ts";

/** A composer of another process. */
export type RemoteComposer = Composer & AsyncDisposable & {
  /**
   * Closes the connection, and resolves when the thread that waited for callbacks has ended, for tests that look for
   * leaks.
   */
  [Symbol.asyncDispose](): Promise<void>;
  /** Sends the commands that wait to be sent with their frame. Throws the error of the first command that failed. */
  flush(): void;
  /**
   * Whether the served composer takes fences of every kind. A vendor's device takes only sync_files; presentDisplay
   * waits until other fences are signalled, at most five seconds.
   */
  readonly takesAnyFence: boolean;
  /** Whether the server is still there, as far as this process knows. */
  readonly isConnected: boolean;
};

/** Settings of {@linkcode connectComposer}. */
export interface RemoteOptions {
  /** Milliseconds that a call waits for an answer before the server counts as gone. Default 10000. */
  readonly timeout?: number;
  /** Sends every command at once and separately, so that each call throws its own error; slower. Default `false`. */
  readonly oneByOne?: boolean;
  /**
   * Gets each command that failed in a batch, with its index. Default: the call that sends the batch throws the first
   * error, and is not carried out.
   */
  readonly commandFailed?: (error: HwcError, index: number) => void;
  /** Called once when the server is gone, with the reason; all later calls throw. */
  readonly onLost?: (reason: string) => void;
}

const RULES: OptionRules<RemoteOptions> = {
  timeout: number,
  oneByOne: yesOrNo,
  commandFailed: callback("takes an error"),
  onLost: callback("takes the reason"),
};

/**
 * Connects to a composer that {@linkcode serveComposer} serves in another process. The result behaves like a composer
 * in this process: a call waits for the other process, at most for the time-out.
 *
 * Commands without a result are sent together with the next command that has a result, so a frame needs two answers;
 * their errors are reported only then.
 *
 * A buffer is sent once, as a file descriptor, and stays shared until it is closed here; the buffer must have a file.
 * Fences are sent as file descriptors; the kernel signals pending fences when either process dies. Callbacks run in the
 * event loop, except that HOTPLUG runs at once for connected displays.
 *
 * When the server dies, or does not answer in time, calls throw NO_RESOURCES. Needs only `--allow-ffi`. Throws an
 * {@linkcode HwcError} NO_RESOURCES if nobody serves at the path, or if another client is connected.
 *
 * @example
 * ```ts ignore
 * import { connectComposer, SurfaceFlinger } from "@pumice/gfx/hwc";
 *
 * using composer = connectComposer("/run/user/1000/composer");
 * using flinger = new SurfaceFlinger({ composer });
 * ```
 */
export function connectComposer(path: string, options?: RemoteOptions): RemoteComposer;
/**
 * Connects to a composer that the service manager of the kernel's binder knows: of {@linkcode serveComposer} in another
 * process, or a HAL. Answers are Promises; commands without a result are sent together with their frame, and what fails
 * is reported only then. The composer's buffers must be those of Pumice's allocator. Needs only `--allow-ffi`. Rejects
 * with an {@linkcode HwcError} NO_RESOURCES without binder, without such a service, or if another client is connected.
 *
 * @example
 * ```ts ignore
 * import { connectComposer, SurfaceFlinger } from "@pumice/gfx/hwc";
 *
 * await using composer = await connectComposer({ service: "default", as: "aidl" });
 * using flinger = new SurfaceFlinger({ composer });
 * ```
 */
export function connectComposer(service: BinderConnectOptions): Promise<BinderComposer>;
export function connectComposer(
  where: string | BinderConnectOptions,
  options: RemoteOptions = {},
): RemoteComposer | Promise<BinderComposer> {
  if (typeof where !== "string") {
    return import("../../binder/over_binder.ts").then((binder) => binder.connectOverBinder(where));
  }
  checkOptions("connectComposer()", options, RULES);
  const { timeout = DEFAULT_TIMEOUT } = options;
  return new RemoteClient(connectTo(where, timeout), { ...options, timeout }).composer;
}

const DEFAULT_TIMEOUT = 10_000;
