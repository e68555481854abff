import type { ComposerViewerOptions } from "../../../hwc/viewer/options.ts";
import { type ComposerViewer, composerViewer } from "../../../hwc/viewer/composer_viewer.ts";
import { SurfaceFlinger } from "../../../hwc/flinger/surface_flinger.ts";
import type { SurfaceLayer } from "../../../hwc/flinger/layers/surface_layer.ts";
import type { ReferenceComposerOptions } from "../../../hwc/core/options.ts";
import { createReferenceComposer } from "../../../hwc/simulated/reference_composer.ts";
import type { ReferenceComposer } from "../../../hwc/core/controls.ts";
import { SteppingClock } from "../../../hwc/core/time/stepping_clock.ts";
import { VSYNC_PERIOD } from "../core/frame.ts";
import { blank, draw, words } from "../flinger/stage.ts";

export const WIDTH = 96, HEIGHT = 72;
export const RED = [200, 30, 20, 255], GREEN = [20, 180, 60, 255], BLUE = [10, 40, 220, 255];

/** A composer on time that stands, its client, and a viewer of both. */
export class ViewedStage implements AsyncDisposable {
  readonly clock = new SteppingClock();
  readonly composer: ReferenceComposer;
  readonly flinger: SurfaceFlinger;
  readonly viewer: ComposerViewer;

  constructor(more: ReferenceComposerOptions = {}, options: Partial<ComposerViewerOptions> = {}) {
    this.clock.pause();
    const panels = [{ name: "Small", modes: [{ width: WIDTH, height: HEIGHT, refreshRate: 60 }] }];
    this.composer = createReferenceComposer({ panels, flattenAfter: 0, ...more, clock: this.clock });
    this.flinger = new SurfaceFlinger({ composer: this.composer });
    const { composer, flinger, clock } = this;
    this.viewer = composerViewer({ composer, flinger, clock, ...options });
  }

  /** A layer of one colour. */
  layer(name: string, size: readonly [number, number], color: readonly number[], more = {}): SurfaceLayer {
    const layer = this.flinger.createLayer({ name, window: { width: size[0], height: size[1] }, ...more });
    layer.window!.apiConnect(2);
    draw(layer.window!, color);
    return layer;
  }

  /** Wallpaper, a window and a bar. */
  threeLayers(): SurfaceLayer[] {
    return [
      this.layer("wallpaper", [WIDTH, HEIGHT], BLUE),
      this.layer("app", [40, 30], GREEN, { position: { x: 20, y: 24 }, z: 1 }),
      this.layer("bar", [WIDTH, 8], RED, { z: 2, alpha: 0.5 }),
    ];
  }

  vsyncs(count = 1): void {
    this.clock.step(VSYNC_PERIOD * BigInt(count));
  }

  /** The pixels on the panel: words of RGBA. */
  screen(display = 0): number[] {
    const info = this.flinger.displays.find((each) => each.display === display)!;
    using into = blank(info.width, info.height);
    this.composer.capture(info.handle!, into);
    return words(into);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.viewer.close();
    this.flinger.close();
    this.composer.close();
  }
}
