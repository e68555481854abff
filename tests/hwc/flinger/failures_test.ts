import { assertEquals } from "@std/assert";
import { HwcError } from "../../../hwc/hwc_error.ts";
import { clientOnly } from "../../../hwc/planes/strategy.ts";
import type { ReferenceComposer } from "../../../hwc/core/controls.ts";
import { ERROR } from "../../../hwc/types.ts";
import type { FrameSource } from "../../../wsi/contract/frame_consumer.ts";
import { NativeFence } from "../../../wsi/fence/native_fence.ts";
import { NativeWindow } from "../../../wsi/window/native_window.ts";
import { blank, BLUE, draw, GREEN, onStage, RED, type Stage, type StageOptions, words } from "./stage.ts";

/** The actions before the next call of a name. */
type Plan = Map<string, (composer: ReferenceComposer) => void>;

/** A test whose composer does as planned. */
function planned(run: (stage: Stage, plan: Plan) => void, options: StageOptions = {}): () => void {
  const plan: Plan = new Map();
  const between = (composer: ReferenceComposer) =>
    new Proxy(composer, {
      get(target, name) {
        const value: unknown = Reflect.get(target, name), before = plan.get(String(name));
        if (typeof value !== "function" || !before) return value;
        return (...args: unknown[]) => {
          plan.delete(String(name));
          before(target);
          return value.apply(target, args);
        };
      },
    });
  return onStage((stage) => {
    plan.clear();
    run(stage, plan);
  }, { ...options, between });
}

function fail(): never {
  throw new HwcError("test", ERROR.NO_RESOURCES, "nothing is left, for once");
}

/** The fence of the next buffer that a producer gets, which goes back unused. */
function nextIsFree({ window }: { window: NativeWindow | undefined }): boolean {
  const taken = window!.dequeueBuffer();
  if (typeof taken === "number") throw new Error(`no buffer: status ${taken}`);
  const isFree = taken.fence.poll();
  window!.cancelBuffer(taken.buffer, taken.fence);
  return isFree;
}

for (const call of ["validateDisplay", "presentDisplay", "getReleaseFences"]) {
  Deno.test(
    `what a panel shows is not given back when ${call} fails, until another frame has appeared`,
    planned((stage, plan) => {
      const layer = stage.layer("app", [32, 24], RED);
      stage.vsyncs(2);
      draw(layer.window!, GREEN);
      layer.set({ alpha: 0.5 }); // so that it is validated
      plan.set(call, fail);
      stage.vsyncs();
      assertEquals([plan.size, stage.said.length, stage.pixel(1, 1)], [0, 1, [255, 0, 0]]);
      assertEquals(nextIsFree(layer), false);
      stage.vsyncs(2);
      assertEquals([stage.pixel(1, 1), nextIsFree(layer)], [[0, 128, 0], true]);
    }),
  );
}

Deno.test(
  "a panel whose frames fail again and again holds no producer up",
  planned((stage, plan) => {
    const layer = stage.layer("app", [32, 24], RED);
    stage.vsyncs(2);
    draw(layer.window!, GREEN);
    for (let frame = 0; frame < 10; frame++) {
      plan.set("validateDisplay", fail);
      layer.set({ alpha: frame / 10 + 0.05 });
      stage.vsyncs();
    }
    assertEquals(nextIsFree(layer), true);
  }),
);

Deno.test(
  "a layer that is hidden with its new frame gets the old one back when the panel has another picture",
  onStage((stage) => {
    const layer = stage.layer("app", [32, 24], RED);
    stage.vsyncs(2);
    draw(layer.window!, GREEN);
    layer.set({ isHidden: true });
    stage.vsyncs();
    assertEquals([stage.pixel(1, 1), nextIsFree(layer)], [[255, 0, 0], false]);
    stage.vsyncs();
    assertEquals([stage.pixel(1, 1), nextIsFree(layer)], [[0, 0, 0], true]);
  }),
);

Deno.test(
  "the client does not draw into the target that a panel shows, however many frames fail",
  planned((stage, plan) => {
    const layer = stage.layer("app", [32, 24], RED);
    stage.vsyncs(3);
    for (let frame = 0; frame < 4; frame++) {
      draw(layer.window!, [frame, 0, 255, 255]);
      plan.set("presentDisplay", fail);
      stage.vsyncs();
      assertEquals(stage.pixel(1, 1), [255, 0, 0], `after ${frame + 1} frames that failed`);
    }
    stage.vsyncs(3);
    assertEquals(stage.pixel(1, 1)[2], 255);
  }, { strategy: clientOnly() }),
);

Deno.test(
  "a layer that could not be destroyed is destroyed with the next frame",
  planned((stage, plan) => {
    const layer = stage.layer("app", [32, 24], RED);
    stage.vsyncs(2);
    plan.set("destroyLayer", fail);
    layer.close();
    stage.vsyncs(3);
    assertEquals([plan.size, stage.pixel(1, 1)], [0, [0, 0, 0]]);
  }),
);

Deno.test(
  "a panel that is unplugged in the middle of a frame leaves vsyncs to another",
  planned((stage, plan) => {
    const modes = [{ width: 32, height: 24, refreshRate: 60 }], handle = stage.composer.plug({ modes });
    const layer = stage.layer("app", [32, 24], RED);
    stage.vsyncs(2);
    stage.flinger.setPowerMode(0, 0);
    draw(layer.window!, GREEN);
    stage.vsyncs();
    layer.set({ alpha: 0.5 });
    plan.set("validateDisplay", (composer) => composer.unplug(handle));
    stage.vsyncs();
    stage.flinger.setPowerMode(0, 2);
    draw(layer.window!, BLUE);
    stage.vsyncs(3);
    assertEquals([plan.size, stage.flinger.displays.length, stage.pixel(1, 1)], [0, 1, [0, 0, 128]]);
  }),
);

/** A window whose frames a script takes. */
function output(sources: FrameSource[]): NativeWindow {
  const consumer = { attach: (source: FrameSource) => void sources.push(source), onFrame() {}, maxAcquired: 1 };
  return new NativeWindow({ width: 32, height: 24, consumer });
}

function take(source: FrameSource): number[] {
  let last: number[] = [];
  for (let frame = source.acquire(); frame; frame = source.acquire()) {
    last = words(frame.buffer);
    frame.release();
  }
  return last;
}

Deno.test(
  "a virtual display of the client's alone is empty when its layers are gone",
  onStage((stage) => {
    const sources: FrameSource[] = [];
    using window = output(sources);
    stage.flinger.createVirtualDisplay({ window, usesComposer: false });
    const layer = stage.layer("app", [32, 24], RED);
    stage.vsyncs(2);
    assertEquals(take(sources[0])[0], 0xff0000ff);
    layer.close();
    stage.vsyncs(2);
    assertEquals(take(sources[0])[0], 0);
    stage.flinger.close();
  }),
);

Deno.test(
  "a virtual display whose reader is slow gets its last frame, and one without a reader wakes nobody",
  onStage((stage) => {
    const sources: FrameSource[] = [];
    using reader = output(sources);
    reader.setDequeueTimeout(0n);
    stage.flinger.createVirtualDisplay({ window: reader });
    const layer = stage.layer("app", [32, 24], RED);
    for (const color of [RED, GREEN, BLUE, GREEN, BLUE]) {
      draw(layer.window!, color);
      stage.vsyncs(2);
    }
    assertEquals(stage.said.filter((sentence) => sentence.includes("has no buffer")).length, 1);
    take(sources[0]);
    stage.vsyncs(2);
    assertEquals(take(sources[0])[0], 0xffff0000);
    reader.close();
    layer.set({ position: { x: 1, y: 0 } });
    stage.vsyncs(2);
    const { wakes } = stage.flinger.statistics;
    stage.vsyncs(20);
    assertEquals(stage.flinger.statistics.wakes, wakes);
    stage.flinger.close();
  }),
);

Deno.test(
  "present fences know their time, also those of frames that were over at once",
  onStage((stage) => {
    const { composer, clock } = stage, handle = stage.handle();
    composer.setPowerMode(handle, 0);
    composer.validateDisplay(handle);
    using fence = composer.presentDisplay(handle);
    assertEquals(fence.signalTime, clock.now());
    const { display } = composer.createVirtualDisplay(32, 24, 1);
    using buffer = blank();
    composer.setOutputBuffer(display, buffer, null);
    composer.validateDisplay(display);
    using written = composer.presentDisplay(display);
    assertEquals(written.signalTime, clock.now());
    composer.destroyVirtualDisplay(display);
  }),
);

Deno.test(
  "a layer that is closed takes no fence any more",
  onStage((stage) => {
    const layer = stage.layer("app", [32, 24], RED), { fence, signal } = NativeFence.create();
    stage.vsyncs(2);
    draw(layer.window!, GREEN, fence);
    layer.close();
    stage.vsyncs(3);
    signal();
  }),
);
