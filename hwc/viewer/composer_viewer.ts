import { COMPOSER_VIEWER_RULES, type ComposerViewerOptions } from "./options.ts";
import { checkOptions, optionsOf } from "../../ffi/check_options.ts";
import { WEB_VIEWER_RULES, WebViewer } from "../../wsi/web/web_viewer.ts";
import { type FrameWatch, watchFrames } from "./watch/frame_watch.ts";
import { answer, Menu, readRequest, Wishes } from "./requests.ts";
import { NativeWindow } from "../../wsi/window/native_window.ts";
import type { DisplayInfo } from "../flinger/options.ts";
import type { ReferenceComposer } from "../core/controls.ts";
import { WindowOutput } from "../core/output/window_output.ts";

/** The picture of a panel in a window of the page. */
class PanelPicture {
  /** The window's name. */
  readonly window: string;
  readonly #composer: ReferenceComposer;
  readonly #viewer: WebViewer;
  readonly #handle: bigint;
  readonly #native: NativeWindow;
  readonly #output: WindowOutput;
  /** The number of the window's frame. */
  #drawn = 0;

  /** Opens the window. */
  constructor(composer: ReferenceComposer, viewer: WebViewer, { display, handle, width, height }: DisplayInfo) {
    this.#composer = composer;
    this.#viewer = viewer;
    this.#handle = handle!;
    this.window = `display ${display}`;
    this.#native = new NativeWindow({ width, height, consumer: viewer.window({ name: this.window }) });
    this.#output = new WindowOutput(this.#native);
  }

  /** Gives the window the panel's frame, if the frame is new. */
  update({ width, height }: DisplayInfo): void {
    const { number, shown } = this.#composer.shown(this.#handle) ?? { number: 0, shown: 0n };
    if (number === this.#drawn) return;
    const screen = { left: 0, top: 0, right: width, bottom: height };
    const compose = this.#composer.capture.bind(undefined, this.#handle);
    if (this.#output.show(screen, shown, compose)) this.#drawn = number;
  }

  /** The frame is the same, but something of it moved. */
  invalidate(): void {
    this.#drawn = -1;
  }

  /** The panel is gone: so is the window. */
  close(): void {
    this.#output.close();
    this.#native.close();
    this.#viewer.forget(this.window);
  }
}

/**
 * A web page that shows the work of a composer, made by {@linkcode composerViewer}: each display live, with the planes
 * on the picture, the layers that the client composes, and the reasons.
 */
export class ComposerViewer implements AsyncDisposable {
  readonly #options: ComposerViewerOptions;
  readonly #viewer: WebViewer;
  readonly #watch: FrameWatch;
  readonly #menu: Menu;
  readonly #wishes = new Wishes();
  readonly #pictures = new Map<number, PanelPicture>();
  #isClosed = false;
  #isDue = false;

  /** Use {@linkcode composerViewer}. */
  constructor(options: ComposerViewerOptions) {
    checkOptions("composerViewer()", options, COMPOSER_VIEWER_RULES);
    this.#options = options;
    this.#menu = new Menu(options);
    this.#viewer = new WebViewer(optionsOf({ title: "Pumice composer", ...options }, WEB_VIEWER_RULES), {
      files: async () => (await import("./page.ts")).DISPLAYS_PAGE,
      news: () => ({ ...this.#menu.news, displays: this.#wishes.applied(this.#watch.report()) }),
      ask: (request) => this.#ask(request),
      audience: () => this.#soon(),
    });
    const { composer, flinger } = options, onChange = () => this.#soon();
    this.#watch = watchFrames({
      composer,
      flinger,
      onFrame: onChange,
      onHotplug: onChange,
      onCursor: (display) => {
        this.#pictures.get(display)?.invalidate();
        this.#soon();
      },
    });
  }

  /** The address of the page. */
  get url(): string {
    return this.#viewer.url;
  }

  /** The number of connected pages. */
  get pages(): number {
    return this.#viewer.pages;
  }

  /**
   * Returns the picture on a display as PNG bytes, without the page's outlines. Throws a `RangeError` for a display
   * without a panel, and a `WsiError` `no-frame` before the first frame.
   */
  async snapshot(display: number = 0): Promise<Uint8Array> {
    if (!this.#isClosed) this.#show();
    const picture = this.#pictures.get(display);
    if (!picture) throw new RangeError(`Cannot take a snapshot: there is no display ${display} with a panel`);
    return await this.#viewer.snapshot(picture.window);
  }

  /** Closes all connections and the server; composer and flinger keep running. A second call waits for the first. */
  async close(): Promise<void> {
    if (!this.#isClosed) {
      this.#isClosed = true;
      this.#watch.close();
      for (const picture of this.#pictures.values()) picture.close();
      this.#pictures.clear();
    }
    await this.#viewer.close();
  }

  /** Closes at the end of an `await using` scope. */
  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  #ask(value: unknown): void {
    const request = readRequest(value);
    if (request && !this.#isClosed) {
      answer(request, { ...this.#options, watch: this.#watch, menu: this.#menu, wishes: this.#wishes });
    }
    this.#soon();
  }

  /**
   * Tells the pages at the end of this task, once for all changes of the task:
   * the flinger may be in the middle of a frame. While nobody looks, no picture
   * is made.
   */
  #soon(): void {
    if (this.#isDue) return;
    this.#isDue = true;
    queueMicrotask(() => {
      this.#isDue = false;
      if (this.#isClosed || this.#viewer.pages === 0) return;
      this.#show();
      this.#viewer.tellNews();
    });
  }

  /** A panel has a picture as long as it is plugged. */
  #show(): void {
    const { displays } = this.#watch;
    for (const [number, picture] of this.#pictures) {
      if (displays.some(({ display }) => display === number)) continue;
      picture.close();
      this.#pictures.delete(number);
    }
    for (const info of displays) {
      let picture = this.#pictures.get(info.display);
      if (!picture) {
        picture = new PanelPicture(this.#options.composer, this.#viewer, info);
        this.#pictures.set(info.display, picture);
      }
      picture.update(info);
    }
  }
}

/**
 * Starts a web page, on this machine only, that shows the work of a composer. The page shows each display live, with
 * planes outlined and named on the picture; who composes each layer, and why; and when frames were presented, when
 * their fences were signalled, and at which vsync they appeared.
 *
 * The page can hide and show layers, plug and unplug external panels, and choose strategies and planes. If the composer
 * has a {@linkcode SteppingClock}, the page can also pause and step time.
 *
 * The displays never wait for a browser: each page gets the newest picture when it has shown the previous one, and
 * without a page no picture is drawn. Access and permissions are those of `webViewer`.
 *
 * @example A panel with one layer, seen from outside
 * ```ts
 * import { composerViewer, createReferenceComposer, SurfaceFlinger } from "@pumice/gfx/hwc";
 * import { assertStringIncludes } from "@std/assert";
 *
 * using composer = createReferenceComposer();
 * using flinger = new SurfaceFlinger({ composer });
 * await using viewer = composerViewer({ composer, flinger });
 * flinger.createLayer({ name: "sky", color: { r: 0.5, g: 0.7, b: 1, a: 1 }, size: { width: 1920, height: 1080 } });
 * assertStringIncludes(await (await fetch(viewer.url)).text(), "<!doctype html>");
 * ```
 */
export function composerViewer(options: ComposerViewerOptions): ComposerViewer {
  return new ComposerViewer(options);
}
