import { callback, checkOptions, type OptionRules } from "../../../ffi/check_options.ts";
import { errorName, lastError } from "../../../ffi/file/file_descriptor.ts";
import { acceptFrom } from "../../../ffi/file/unix_socket.ts";
import { fenceWorker } from "../../../wsi/fence/fence_worker.ts";
import type { BinderComposerServer, BinderServeOptions } from "../../binder/options.ts";
import type { AsyncComposer } from "../../composer.ts";
import { Channel } from "../wire/channel.ts";
import { listenAt, type ServerSocket } from "./server_socket.ts";
import { postRefusal, Session } from "./session.ts";

const EAGAIN = 11, ECONNABORTED = 103;
/** Milliseconds until a client that could not be accepted is tried again. */
const REST = 100;

/** Settings of {@linkcode serveComposer}. */
export interface ServeOptions {
  /** Gets a line when a client breaks a rule. Default: no messages. */
  readonly log?: (message: string) => void;
}

const RULES: OptionRules<ServeOptions> = {
  log: callback("takes a sentence"),
};

/** A composer that other processes can connect to. */
export interface ComposerServer extends AsyncDisposable {
  /** The path of the socket. */
  readonly path: string;
  /** Whether a client is connected. */
  readonly hasClient: boolean;
  /**
   * Disconnects the client, removes the client's objects and deletes the socket. The caller keeps and closes the
   * composer. A second call does nothing.
   */
  close(): Promise<void>;
}

/**
 * Serves a composer to another process through a Unix socket at a path, which only this user may connect to. There is
 * one client at a time, as with Android's service: a second client is refused with NO_RESOURCES. When a client is gone,
 * the next client finds none of its layers, virtual displays and settings. The server keeps the process alive until it
 * is closed. Needs only `--allow-ffi`. Throws an {@linkcode HwcError}: BAD_PARAMETER for a path that a socket cannot
 * have, NO_RESOURCES if the socket cannot listen, for example because another server does.
 *
 * @example
 * ```ts ignore
 * import { createReferenceComposer, serveComposer } from "@pumice/gfx/hwc";
 *
 * using composer = createReferenceComposer();
 * await using server = serveComposer(composer, "/run/user/1000/composer");
 * ```
 */
export function serveComposer(composer: AsyncComposer, path: string, options?: ServeOptions): ComposerServer;
/**
 * Serves a composer by the kernel's binder, as a HAL of Android's is: under a name at the service manager, in AIDL's or
 * HIDL's interface, for one client at a time. Needs only `--allow-ffi`. Rejects with an {@linkcode HwcError}: NO_RESOURCES
 * without binder or a service manager.
 *
 * @example
 * ```ts ignore
 * import { createReferenceComposer, serveComposer } from "@pumice/gfx/hwc";
 *
 * using composer = createReferenceComposer();
 * await using server = await serveComposer(composer, { as: "aidl", version: 3 });
 * ```
 */
export function serveComposer(composer: AsyncComposer, service: BinderServeOptions): Promise<BinderComposerServer>;
export function serveComposer(
  composer: AsyncComposer,
  where: string | BinderServeOptions,
  options: ServeOptions = {},
): ComposerServer | Promise<BinderComposerServer> {
  if (typeof where !== "string") {
    return import("../../binder/over_binder.ts").then((binder) => binder.serveOverBinder(composer, where));
  }
  checkOptions("serveComposer()", options, RULES);
  return new Server(composer, listenAt(where), where, options.log ?? (() => {}));
}

class Server implements ComposerServer {
  readonly path: string;
  readonly #composer: AsyncComposer;
  readonly #socket: ServerSocket;
  readonly #log: (message: string) => void;
  readonly #ending = new AbortController();
  readonly #running: Promise<void>;
  #session: Session | undefined;
  #served: Promise<void> = Promise.resolve();

  constructor(composer: AsyncComposer, socket: ServerSocket, path: string, log: (message: string) => void) {
    this.path = path;
    this.#composer = composer;
    this.#socket = socket;
    this.#log = log;
    this.#running = this.#run();
  }

  get hasClient(): boolean {
    return this.#session !== undefined;
  }

  async close(): Promise<void> {
    this.#session?.stop();
    this.#ending.abort();
    await this.#running;
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  async #run(): Promise<void> {
    const { fd } = this.#socket, { signal } = this.#ending;
    try {
      while (!signal.aborted) {
        const client = acceptFrom(fd), errno = client < 0 ? lastError() : 0;
        if (client >= 0) await this.#accept(new Channel(client));
        else if (errno === EAGAIN) await fenceWorker().whenReadable(fd, signal);
        else await this.#rest(errno);
      }
    } catch (error) {
      this.#log(`The server ends: ${error}`);
    } finally {
      this.#session?.stop();
      this.#socket.close();
      await this.#served;
    }
  }

  /**
   * Waits before the next connection, because this one cannot be accepted now, such as for want of file descriptors.
   */
  #rest(errno: number): Promise<void> {
    if (errno !== ECONNABORTED) this.#log(`Cannot accept a client: ${errorName(errno)}`);
    return new Promise((done) => setTimeout(done, REST));
  }

  /** A client that has just gone may still be being cleared away, and one that has ended may not have been noticed. */
  async #accept(channel: Channel): Promise<void> {
    if (this.#session?.isSilent) this.#session.stop("another client was quicker to say what it is");
    if (this.#session?.isOver) await this.#served;
    if (this.#session) {
      postRefusal(channel, "another client is connected; there is one at a time");
      return channel.close();
    }
    const session = this.#session = new Session(this.#composer, channel, this.#log);
    this.#served = session.run().finally(() => this.#session = undefined);
  }
}
