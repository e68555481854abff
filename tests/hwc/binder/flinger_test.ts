/**
 * SurfaceFlinger on a composer that is reached over binder.
 *
 * @module
 */
import { assertEquals } from "@std/assert";
import { connectAidl } from "../../../hwc/binder/aidl/connect.ts";
import type { BinderComposer } from "../../../hwc/binder/connected/composer.ts";
import { connectHidl } from "../../../hwc/binder/hidl/connect.ts";
import { type ComposerService, composerService, type ComposerServiceOptions } from "../../../hwc/binder/serve.ts";
import type { ReferenceComposer } from "../../../hwc/core/controls.ts";
import type { ReferenceComposerOptions } from "../../../hwc/core/options.ts";
import { ManualClock } from "../../../hwc/core/time/clock.ts";
import type { LayerOptions } from "../../../hwc/flinger/layers/surface_layer.ts";
import { SurfaceFlinger } from "../../../hwc/flinger/surface_flinger.ts";
import { fourPlane, onePlane } from "../../../hwc/planes/models.ts";
import { createReferenceComposer } from "../../../hwc/simulated/reference_composer.ts";
import { FORMAT } from "../../../hwc/types.ts";
import { allocateBuffer, openBuffers } from "../../../wsi/buffer/gralloc.ts";
import { USAGE } from "../../../wsi/buffer/usage.ts";
import { openFiles } from "../../support/open_files.ts";
import { assertNoMoreFiles } from "../../wsi/files_left.ts";
import { draw, GREEN } from "../flinger/stage.ts";
import { HEIGHT, PERIOD, SMALL, WIDTH } from "../remote/bench.ts";
import { expected, homeScreen } from "../remote/home_screen.ts";
import { warmRelayedFence } from "./binder_subject.ts";
import { refer, Side } from "./in_process_bus.ts";

/** A flinger whose panel is behind a service. */
class BinderStage implements AsyncDisposable {
  readonly said: string[] = [];
  readonly flinger: SurfaceFlinger;
  readonly #clock = new ManualClock();
  readonly #panel: ReferenceComposer;
  readonly #service: ComposerService;
  readonly #composer: BinderComposer;

  private constructor(
    clock: ManualClock,
    panel: ReferenceComposer,
    service: ComposerService,
    composer: BinderComposer,
  ) {
    this.#clock = clock;
    this.#panel = panel;
    this.#service = service;
    this.#composer = composer;
    this.flinger = new SurfaceFlinger({ composer, log: (message) => this.said.push(message) });
  }

  static async open(options: ReferenceComposerOptions, how: ComposerServiceOptions): Promise<BinderStage> {
    const clock = new ManualClock(), panel = createReferenceComposer({ ...SMALL, ...options, clock });
    const there = new Side(), service = composerService(panel, how), remote = refer(there, service.object, new Side());
    const composer = await (how.as === "hidl" ? connectHidl(remote) : connectAidl(remote, how.release ?? 16));
    return new BinderStage(clock, panel, service, composer);
  }

  layer(name: string, [width, height]: readonly [number, number], color: readonly number[], more: LayerOptions = {}) {
    const layer = this.flinger.createLayer({ name, window: { width, height }, ...more });
    layer.window!.apiConnect(2);
    draw(layer.window!, color);
    return layer;
  }

  async vsyncs(count: number): Promise<void> {
    for (let turn = 0; turn < count; turn++) {
      this.#clock.advance(PERIOD);
      await new Promise((done) => setTimeout(done, 5));
    }
  }

  /** The words of RGBA on the panel. */
  screen(): number[] {
    using picture = allocateBuffer({
      width: WIDTH,
      height: HEIGHT,
      format: FORMAT.RGBA_8888,
      usage: USAGE.CPU_READ_OFTEN | USAGE.CPU_WRITE_OFTEN,
    });
    this.#panel.capture(this.flinger.displays[0].handle, picture);
    const bytes = picture.lock(), { rowPitch } = picture;
    const rows = Array.from(
      { length: HEIGHT },
      (_, y) => [...new Uint32Array(bytes.slice(y * rowPitch, y * rowPitch + WIDTH * 4).buffer)],
    );
    picture.unlock();
    return rows.flat();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.flinger.close();
    await this.flinger.settled();
    await this.#composer[Symbol.asyncDispose]();
    await this.#service.close();
    this.#panel.close();
  }
}

const DEVICES: readonly (readonly [string, ReferenceComposerOptions, boolean])[] = [
  ["four planes", { planes: fourPlane() }, false],
  ["one plane, so that the client composes", { planes: onePlane() }, false],
  ["the client alone", {}, true],
];

const LANGUAGES: readonly ComposerServiceOptions[] = [
  { as: "aidl", version: 1, release: 13 },
  { as: "aidl", version: 2, release: 14 },
  { as: "aidl", version: 3 },
  { as: "aidl", version: 4 },
  { as: "hidl", version: 2.1 },
  { as: "hidl", version: 2.2 },
  { as: "hidl", version: 2.3 },
  { as: "hidl", version: 2.4 },
];

for (const how of LANGUAGES) {
  for (const [name, options, isForced] of DEVICES) {
    Deno.test(`SurfaceFlinger shows a home screen over ${how.as} ${how.version}, on ${name}`, async () => {
      await warmRelayedFence();
      const files = openFiles(), buffers = openBuffers();
      {
        await using stage = await BinderStage.open(options, how);
        await stage.flinger.settled();
        stage.flinger.setForceClient(isForced);
        const [, , status] = homeScreen(stage);
        await stage.vsyncs(4);
        assertEquals(stage.screen(), expected([9, 9, 9, 255]));
        draw(status.window!, GREEN);
        await stage.vsyncs(4);
        assertEquals(stage.screen(), expected(GREEN));
        assertEquals(stage.said, []);
      }
      assertEquals(openBuffers(), buffers);
      await assertNoMoreFiles(files);
    });
  }
}
