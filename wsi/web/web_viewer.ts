import { callback, checkOptions, number, type OptionRules, text, typed, yesOrNo } from "../../ffi/check_options.ts";
import type { FrameConsumer, FrameSource } from "../contract/frame_consumer.ts";
import { WsiError } from "../error.ts";
import type { Client } from "./client.ts";
import type { ViewerPage } from "./page.ts";
import { type Picture, pngOf } from "./picture.ts";
import type { ToPage } from "./protocol.ts";
import { FAREWELL, type Server, startServer, within } from "./server.ts";
import { type Audience, ViewerWindow } from "./viewer_window.ts";

/**
 * The interval in milliseconds at which a snapshot checks whether its frame is drawn, and the largest number of checks.
 */
const LOOK_EVERY = 2, MOST_LOOKS = 1000;

/** The page of windows. The page is loaded with the first request, because many viewers never have a browser. */
const PLAIN: ViewerPage = { files: async () => (await import("./page.ts")).WINDOWS_PAGE };

/** Settings of {@linkcode webViewer}. */
export interface WebViewerOptions {
  /** TCP port. Default 0: any free port, see {@linkcode WebViewer.url}. */
  readonly port?: number;
  /**
   * Address or name to listen on. Default `"127.0.0.1"`: this machine only. Everybody who can reach the address can see
   * the frames; there is no password.
   */
  readonly hostname?: string;
  /** Opens the page in the desktop's browser (needs `--allow-run=xdg-open`). Default `false`. */
  readonly open?: boolean;
  /** Gets a sentence if the page cannot be opened, such as `console.error`. Default: no messages. */
  readonly log?: (message: string) => void;
  /** The page's title. Default `"Pumice"`. */
  readonly title?: string;
}

/** The options of a viewer and their valid values. */
export const WEB_VIEWER_RULES: OptionRules<WebViewerOptions> = {
  port: number,
  hostname: text("a host's name or address"),
  open: yesOrNo,
  log: callback("takes a sentence"),
  title: typed("a text", "string"),
};

/** Settings of {@linkcode WebViewer.window}. */
export interface ViewerWindowOptions {
  /** The name above the frames; unique among the viewer's open windows. */
  readonly name: string;
  /** The width that the window gives producers, in pixels; together with `height`. */
  readonly width?: number;
  /** The height that the window gives producers, in pixels; together with `width`. */
  readonly height?: number;
}

const WINDOW_RULES: OptionRules<ViewerWindowOptions> = {
  name: typed("a name", "string"),
  width: number,
  height: number,
};

/** Counters of the frames of one window. */
export interface ViewerStatistics {
  /** Number of frames queued. */
  readonly queued: number;
  /** Number of frames sent, to all pages together. */
  readonly sent: number;
  /** Number of copies or conversions of a frame's pixels before sending. */
  readonly copies: number;
  /** Number of connected pages. */
  readonly pages: number;
}

/**
 * A web page that shows frames live, made by {@linkcode webViewer}: any number of windows, in any number of browsers.
 * The viewer is itself a {@linkcode FrameConsumer} for a window named `main`: a program with one window gives the
 * viewer as the window's consumer. Such a viewer is closed with its window; `await viewer.close()` then waits for the
 * end.
 */
export class WebViewer implements FrameConsumer, AsyncDisposable {
  /** The address of the page. */
  readonly url: string;
  #server: Server;
  #windows = new Map<string, ViewerWindow>();
  #clients = new Set<Client>();
  #sent = new WeakMap<ViewerWindow, number>();
  #lastId = 0;
  #closing: Promise<void> | undefined;
  #opening: Promise<unknown> | undefined;
  #audience: Audience = {
    wants: (window) => this.#clients.values().some((client) => client.wants(window)),
    show: (window, picture) => this.#show(window, picture),
    count: (window) => this.#clients.forEach((client) => client.count(window)),
    announce: ({ info }) => this.#clients.forEach((client) => client.tell({ type: "window", window: info })),
  };

  #page: ViewerPage;

  /** Use {@linkcode webViewer}. `page` replaces the page of windows. */
  constructor(
    options: WebViewerOptions = {},
    page: ViewerPage = PLAIN,
  ) {
    checkOptions("webViewer()", options, WEB_VIEWER_RULES);
    const { port = 0, hostname = "127.0.0.1", open = false, title = "Pumice", log = () => {} } = options;
    this.#page = page;
    this.#server = startServer(hostname, port, { files: page.files, connector: () => this.#connector(title) });
    this.url = this.#server.url;
    if (open) this.#opening = openInBrowser(this.url, log);
  }

  /**
   * Creates a window of the page, which is a native window's consumer. A producer never waits for a browser: each page
   * gets the newest frame when it has shown the previous one; other frames are dropped and counted. Throws a
   * {@linkcode WsiError} `not-allowed` if the name is taken, `closed` if the viewer is closed.
   */
  window(options: ViewerWindowOptions): FrameConsumer {
    checkOptions("window()", options, WINDOW_RULES);
    const { name, width, height } = options;
    if (this.#closing) throw new WsiError("closed", `Cannot make the window "${name}": the viewer is closed`);
    if ((width === undefined) !== (height === undefined)) {
      throw new TypeError(`Cannot make the window "${name}": give both width and height, or none`);
    }
    const taken = this.#windows.get(name);
    if (taken && taken.info.state !== "closed") {
      throw new WsiError("not-allowed", `Cannot make another window "${name}": give each a name of its own`);
    }
    const size = width === undefined || height === undefined ? undefined : { width, height };
    const window = new ViewerWindow(++this.#lastId, name, size, this.#audience);
    this.#windows.set(name, window);
    this.#audience.announce(window);
    return window;
  }

  /**
   * Returns the newest frame of a window as PNG bytes, with its alpha. Waits until the frame is drawn. Throws a
   * {@linkcode WsiError} `no-frame` if there is none, `unsupported` for a frame without RGB pixels.
   */
  async snapshot(name: string = "main"): Promise<Uint8Array> {
    const window = this.#find(name);
    if (window.newest === 0n) throw new WsiError("no-frame", `Cannot take a snapshot of "${name}": it has no frame`);
    for (let looks = 0; looks < MOST_LOOKS; looks++) {
      const picture = window.picture();
      if (picture) return pngOf(picture);
      await new Promise((resolve) => setTimeout(resolve, LOOK_EVERY));
    }
    throw new WsiError("no-frame", `Cannot take a snapshot of "${name}": frame ${window.newest} is still not drawn`);
  }

  /** Returns the counters of a window. Throws a {@linkcode WsiError} `not-allowed` if there is no such window. */
  statistics(name: string = "main"): ViewerStatistics {
    const window = this.#find(name), { queued, copies } = window;
    return { queued, sent: this.#sent.get(window) ?? 0, copies, pages: this.#clients.size };
  }

  /** Number of connected pages. */
  get pages(): number {
    return this.#clients.size;
  }

  /** Sends news to all pages, each when it is ready; only for viewers with a page of their own. */
  tellNews(): void {
    for (const client of this.#clients) client.tellNews();
  }

  /** Deletes the last picture and the counters of a closed window. Does nothing for another window. */
  forget(name: string): void {
    if (this.#windows.get(name)?.info.state === "closed") this.#windows.delete(name);
  }

  /** Attaches the window `main`; called by the native window. */
  attach(source: FrameSource): void {
    if (!this.#windows.has("main")) this.window({ name: "main" });
    this.#main.attach(source);
  }

  /** As {@linkcode WebViewer.attach}. */
  onFrame(source: FrameSource): void {
    this.#main.onFrame(source);
  }

  /** As {@linkcode WebViewer.attach}. */
  pump(source: FrameSource): void {
    this.#main.pump(source);
  }

  /**
   * Closes all connections and the server; snapshots of the last frames are still possible. Open windows drop their
   * frames from now on. A second call waits for the first.
   */
  close(): Promise<void> {
    return this.#closing ??= this.#close();
  }

  /** Closes at the end of an `await using` scope. */
  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  get #main(): ViewerWindow {
    return this.#find("main");
  }

  #find(name: string): ViewerWindow {
    const window = this.#windows.get(name);
    if (window) return window;
    const names = [...this.#windows.keys()].map((each) => `"${each}"`).join(", ") || "none";
    throw new WsiError("not-allowed", `Cannot find the window "${name}": there are ${names}`);
  }

  async #close(): Promise<void> {
    for (const window of this.#windows.values()) window.end();
    await this.#server.close();
    if (this.#opening) await within(FAREWELL, this.#opening);
  }

  /** Loads the code of connections, and returns the function that takes a page's connection. */
  async #connector(title: string): Promise<(socket: WebSocket) => Client> {
    const { Client } = await import("./client.ts");
    const hello = (): ToPage => ({
      type: "hello",
      title,
      windows: Array.from(this.#windows.values(), ({ info }) => info),
    });
    return (socket) => this.#joined(new Client(socket, () => this.#windows.values(), hello, this.#page));
  }

  #joined(client: Client): Client {
    this.#clients.add(client);
    void client.closed.then(() => {
      this.#clients.delete(client);
      this.#page.audience?.();
    });
    this.#page.audience?.();
    return client;
  }

  #show(window: ViewerWindow, picture: Picture): void {
    for (const client of this.#clients) {
      if (!client.wants(window)) continue;
      client.show(window, picture);
      this.#sent.set(window, 1 + (this.#sent.get(window) ?? 0));
    }
  }
}

/**
 * Starts a web page, on this machine only, that shows the frames of windows live, with counters and times for each
 * window.
 *
 * The drawing program never waits for a browser: each browser gets the newest frame when it has shown the previous one,
 * and of a frame with damage only the changed rows; other frames are dropped and counted. While no browser is
 * connected, frames are neither waited for nor copied; a browser that connects later gets the current frame.
 *
 * A browser can pause a window (Space): the window's frames are dropped until the browser continues. Step (S) shows the
 * newest frame, or the next one. Alpha is not shown. A page whose server is gone reconnects when the server is back.
 *
 * The server answers only requests for its own address, and no pages of other sites; other programs of this machine can
 * connect. Needs `--allow-net=127.0.0.1`. Throws a {@linkcode WsiError} `cannot-serve` if the port is taken or not
 * allowed.
 *
 * @example The page of a viewer without windows
 * ```ts
 * import { webViewer } from "@pumice/gfx/wsi";
 * import { assertStringIncludes } from "@std/assert";
 *
 * await using viewer = webViewer({ title: "My driver" });
 * const page = await (await fetch(viewer.url)).text();
 * assertStringIncludes(page, "<!doctype html>");
 * ```
 */
export function webViewer(options: WebViewerOptions = {}): WebViewer {
  return new WebViewer(options);
}

/**
 * Opens an address in the desktop's browser. Resolves when `xdg-open` has ended, which may be the end of the browser.
 * Returns `undefined` if no program could be started: `log` then gets a sentence that says what to do.
 */
function openInBrowser(url: string, log: (message: string) => void): Promise<unknown> | undefined {
  try {
    const child = new Deno.Command("xdg-open", { args: [url], stdin: "null", stdout: "null", stderr: "null" }).spawn();
    child.unref();
    return child.status;
  } catch (cause) {
    const why = cause instanceof Deno.errors.NotCapable ? "give --allow-run=xdg-open" : "there is no xdg-open";
    log(`Cannot open ${url} in a browser: ${why}, or open it yourself`);
  }
}
