import type { DisplayInfo } from "../../../hwc/flinger/options.ts";
import { FORMAT } from "../../../hwc/types.ts";
import type { ReferenceComposer } from "../../../hwc/core/controls.ts";
import type { SurfaceFlinger } from "../../../hwc/flinger/surface_flinger.ts";
import type { VulkanOptions } from "../../../loader/mod.ts";
import { CpuWindow } from "../../../wsi/window/cpu_window.ts";
import type { FrameConsumer } from "../../../wsi/contract/frame_consumer.ts";
import { pngConsumer } from "../../../wsi/consumer/png.ts";
import { x11Window } from "../../../wsi/consumer/x11/x11_window.ts";
import type { ComposeOptions } from "../options.ts";
import { type App, openApp, type Scene } from "./app.ts";
import { homeScreen } from "./home_screen.ts";
import { paintCaptions, paintVideo, VIDEO } from "./paint.ts";

/** The scene of each display, and the display's outputs besides the page. */
export class Scenes implements Disposable {
  readonly #composer: ReferenceComposer;
  readonly #flinger: SurfaceFlinger;
  readonly #options: ComposeOptions;
  readonly #events: OutputEvents;
  /** By display: the objects that are closed with it. */
  readonly #shown = new Map<number, DisposableStack>();
  readonly #scenes = new Map<number, Scene>();

  /** Shows nothing yet. */
  constructor(composer: ReferenceComposer, flinger: SurfaceFlinger, options: ComposeOptions, events: OutputEvents) {
    this.#composer = composer;
    this.#flinger = flinger;
    this.#options = options;
    this.#events = events;
  }

  /**
   * Opens the home screen on the internal panel. Throws if a named driver
   * cannot be used, and for impossible outputs.
   */
  async begin(driver: VulkanOptions): Promise<App> {
    const [primary] = this.#flinger.displays, open = (layer: Parameters<typeof openApp>[0]) => openApp(layer, driver);
    this.#show(primary);
    const scene = await homeScreen(this.#flinger, { ...this.#options, openApp: open });
    this.#add(primary.display, scene);
    return scene.app;
  }

  /** Follows displays that were plugged in or unplugged: each external display has a layer stack of its own. */
  update(): void {
    const displays = this.#flinger.displays;
    for (const [display, owned] of this.#shown) {
      if (displays.some((each) => each.display === display)) continue;
      this.#shown.delete(display);
      owned.dispose();
    }
    for (const info of displays) {
      if (this.#shown.has(info.display)) continue;
      const { display, width, height } = info;
      this.#show(info);
      this.#flinger.setLayerStack(display, display);
      this.#add(display, cinema(this.#flinger, { width, height, layerStack: display }));
    }
  }

  /** All go on to a moment. */
  advance(moment: number): void {
    for (const scene of this.#scenes.values()) scene.advance(moment);
  }

  /** Ends all scenes and outputs. */
  [Symbol.dispose](): void {
    for (const owned of this.#shown.values()) owned.dispose();
    this.#shown.clear();
  }

  #show(info: DisplayInfo): void {
    const owned = new DisposableStack();
    this.#shown.set(info.display, owned);
    owned.defer(showDisplay(this.#composer, info, this.#options, this.#events));
  }

  #add(display: number, scene: Scene): void {
    const owned = this.#shown.get(display)!;
    this.#scenes.set(display, scene);
    owned.use(scene);
    owned.defer(() => this.#scenes.delete(display));
  }
}

/** Callbacks of outputs. */
interface OutputEvents {
  /** Called when the window of a display was closed. */
  closed(display: DisplayInfo): void;
  /** A file could not be written, a server went away. */
  failed(error: unknown): void;
}

/** Shows a display where it is wanted, beside the page. The result ends that. */
function showDisplay(
  composer: ReferenceComposer,
  display: DisplayInfo,
  { png, x11 }: ComposeOptions,
  events: OutputEvents,
): () => void {
  const { width, height, name, handle } = display, consumers: FrameConsumer[] = [];
  if (png !== undefined) consumers.push(pngConsumer(pathOf(png, display)));
  if (x11) {
    consumers.push(x11Window({ title: `${name} – Pumice`, width, height, onClose: () => events.closed(display) }));
  }
  const ends = consumers.map((consumer) => composer.showOn(handle!, consumer, (error) => events.failed(error)));
  return () => ends.forEach((end) => end());
}

/** Returns the given path for the internal panel, and a path beside it for each other panel. */
export function pathOf(path: string, { display, isPrimary }: Pick<DisplayInfo, "display" | "isPrimary">): string {
  if (isPrimary) return path;
  const name = `display-${display}`, number = /%(?:0\d+)?d/;
  if (number.test(path)) return path.replace(number, `${name}-$&`);
  return path.endsWith(".png") ? path.replace(/\.png$/, `-${name}.png`) : `${path.replace(/\/+$/, "")}/${name}`;
}

/** Vsyncs between captions. */
const SPOKEN = 120;

/** The scene of an external display: a video in full screen, with captions. */
function cinema(
  flinger: SurfaceFlinger,
  { width, height, layerStack }: { readonly width: number; readonly height: number; readonly layerStack: number },
): Scene {
  const wide = Math.round(width * 0.6), tall = Math.round(height * 0.12), size = { width, height };
  const video = flinger.createLayer({
    name: `film ${layerStack}`,
    layerStack,
    size,
    window: { ...VIDEO, defaultFormat: FORMAT.YCBCR_420_888 },
  });
  const captions = flinger.createLayer({
    name: `captions ${layerStack}`,
    layerStack,
    z: 1,
    position: { x: (width - wide) >> 1, y: Math.round(height * 0.82) },
    window: { width: wide, height: tall },
  });
  const videoWindow = new CpuWindow(video.window!), words = new CpuWindow(captions.window!);
  return {
    advance(moment) {
      if (moment % 2 === 0) videoWindow.draw((buffer) => paintVideo(buffer, moment));
      if (moment % SPOKEN > 0 && captions.frameNumber !== undefined) return;
      words.drawPixels((words, stride) => {
        paintCaptions({ words, stride, width: wide, height: tall }, Math.floor(moment / SPOKEN));
      });
    },
    [Symbol.dispose]() {
      for (const layer of [video, captions]) layer.close();
    },
  };
}
