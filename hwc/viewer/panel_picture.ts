import { NativeWindow } from "../../wsi/window/native_window.ts";
import type { WebViewer } from "../../wsi/web/web_viewer.ts";
import type { DisplayInfo } from "../flinger/options.ts";
import type { ReferenceComposer } from "../reference/reference_composer.ts";
import { WindowOutput } from "../reference/output/window_output.ts";

/** The picture of a panel in a window of the page. */
export class PanelPicture {
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
