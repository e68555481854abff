/**
 * SurfaceFlinger on a composer in another process.
 *
 * @module
 */
import { assert, assertEquals } from "@std/assert";
import type { ReferenceComposerOptions } from "../../../hwc/core/options.ts";
import { SurfaceFlinger } from "../../../hwc/flinger/surface_flinger.ts";
import type { LayerOptions } from "../../../hwc/flinger/layers/surface_layer.ts";
import { fourPlane, onePlane } from "../../../hwc/planes/models.ts";
import { connectComposer, type RemoteComposer } from "../../../hwc/remote/client/connect.ts";
import { BLUE, draw, GREEN, RED } from "../flinger/stage.ts";
import { expected, homeScreen } from "./home_screen.ts";
import { HEIGHT, PERIOD, SMALL, WIDTH } from "./bench.ts";
import { FarServer } from "./far_server.ts";
import { leavesNothing } from "./leaves_nothing.ts";

const server = new FarServer();
globalThis.addEventListener("unload", () => void server.close());

/** A flinger whose panel is in another process. */
class FarStage implements AsyncDisposable {
  readonly composer: RemoteComposer;
  readonly flinger: SurfaceFlinger;
  readonly said: string[] = [];

  constructor(options: ReferenceComposerOptions = {}) {
    server.serve({ ...SMALL, ...options });
    this.composer = connectComposer(server.path);
    this.flinger = new SurfaceFlinger({ composer: this.composer, log: (message) => this.said.push(message) });
  }

  layer(name: string, [width, height]: readonly [number, number], color: readonly number[], more: LayerOptions = {}) {
    const layer = this.flinger.createLayer({ name, window: { width, height }, ...more });
    layer.window!.apiConnect(2);
    draw(layer.window!, color);
    return layer;
  }

  /** Lets vsyncs go by there, and the flinger hear of each. */
  async vsyncs(count = 1): Promise<void> {
    for (let turn = 0; turn < count; turn++) {
      server.call("advance", PERIOD);
      this.composer.getMaxVirtualDisplayCount(); // what was said there comes before an answer
      await new Promise((done) => setTimeout(done, 0));
    }
  }

  /** The pixels on the panel, words of RGBA. */
  screen(): number[] {
    return [...server.call("capture", this.flinger.displays[0].handle, WIDTH, HEIGHT) as Uint32Array];
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.flinger.close();
    await this.flinger.settled();
    await this.composer[Symbol.asyncDispose]();
    server.end();
  }
}

for (
  const [name, options, isForced] of [
    ["four planes", { planes: fourPlane() }, false],
    ["one plane, so that the client composes", { planes: onePlane() }, false],
    ["the client alone", {}, true],
  ] as const
) {
  Deno.test(`SurfaceFlinger shows a home screen in another process, on ${name}`, () =>
    leavesNothing(async () => {
      await using stage = new FarStage(options);
      stage.flinger.setForceClient(isForced);
      const [, , status] = homeScreen(stage);
      await stage.vsyncs(3);
      assertEquals(stage.screen(), expected([9, 9, 9, 255]));
      draw(status.window!, GREEN);
      await stage.vsyncs(3);
      assertEquals(stage.screen(), expected(GREEN));
      assertEquals(stage.said, []);
    }));
}

Deno.test("SurfaceFlinger wakes at most once a vsync of another process, which are off while nothing changes", () =>
  leavesNothing(async () => {
    await using stage = new FarStage();
    const { flinger } = stage, layer = stage.layer("app", [32, 24], RED);
    await stage.vsyncs(5);
    assertEquals(flinger.statistics.wakes, 1);
    const { vsyncs } = flinger.statistics;
    await stage.vsyncs(20);
    assertEquals(flinger.statistics.vsyncs, vsyncs);
    for (let frame = 0; frame < 20; frame++) {
      assert(draw(layer.window!, frame % 2 ? RED : GREEN), "its buffers come back");
      await stage.vsyncs();
    }
    await stage.vsyncs(2);
    assertEquals([flinger.statistics.wakes, stage.screen()[0], stage.said], [21, 0xff0000ff, []]);
  }));

Deno.test("SurfaceFlinger follows panels that are plugged in another process", () =>
  leavesNothing(async () => {
    await using stage = new FarStage();
    stage.layer("app", [32, 24], RED);
    await stage.vsyncs(2);
    const plugged = server.controls.plug({ modes: [{ width: 16, height: 16, refreshRate: 60 }] });
    await stage.vsyncs(3);
    assertEquals(stage.flinger.displays.map(({ handle }) => handle === plugged), [false, true]);
    assertEquals((server.call("capture", plugged, 16, 16) as Uint32Array)[0], 0xff0000ff);
    server.controls.unplug(plugged);
    await stage.vsyncs(2);
    assertEquals(stage.flinger.displays.length, 1);
    assertEquals(stage.said, []);
  }));

Deno.test("HDR metadata that a far panel has no use for stops no frame", async () => {
  await leavesNothing(async () => {
    await using stage = new FarStage();
    const layer = stage.layer("film", [32, 24], RED);
    await stage.vsyncs(3);
    layer.window!.setBuffersCta8613({ maxContentLightLevel: 1000, maxFrameAverageLightLevel: 400 });
    for (const color of [GREEN, BLUE]) {
      draw(layer.window!, color);
      await stage.vsyncs(3);
      assertEquals(stage.screen()[0], (color[0] | color[1] << 8 | color[2] << 16 | 0xff000000) >>> 0);
    }
    assertEquals([stage.flinger.displays[0].failed, stage.said], [0, []]);
  });
});
