import { assert, assertEquals } from "@std/assert";
import { COMPOSITION } from "../../../hwc/types.ts";
import { clientOnly } from "../../../hwc/planes/strategy.ts";
import { onePlane } from "../../../hwc/planes/models.ts";
import { NativeFence } from "../../../wsi/fence/native_fence.ts";
import { blank, BLUE, CLEAR, draw, flat, GREEN, HEIGHT, onStage, RED, reference, WIDTH } from "./stage.ts";

Deno.test(
  "S22 wakes at most once a vsync, and only when something changed",
  onStage((stage) => {
    const { flinger } = stage, layer = stage.layer("app", [32, 24], RED);
    stage.vsyncs(5);
    assertEquals(flinger.statistics.wakes, 1);
    const { vsyncs } = flinger.statistics;
    stage.vsyncs(100);
    assertEquals(flinger.statistics.vsyncs, vsyncs, "vsyncs are off while nothing changes");
    draw(layer.window!, GREEN);
    layer.set({ alpha: 0.5 });
    flinger.transaction().set(layer, { z: 3 }).set(layer, { alpha: 1 }).apply();
    assertEquals(flinger.statistics.wakes, 1, "nothing happens before the vsync");
    stage.vsyncs();
    assertEquals([flinger.statistics.wakes, layer.state.z, layer.frameNumber], [2, 3, 2n]);
    stage.vsyncs(3);
    assertEquals([flinger.statistics.wakes, stage.pixel(1, 1)], [2, [0, 255, 0]]);
  }),
);

/** The layers that lie on one another, and the same for the reference backend. */
for (
  const [name, options] of [
    ["four planes", {}],
    ["one plane", { planes: onePlane() }],
    ["the client alone", { strategy: clientOnly() }],
  ] as const
) {
  Deno.test(
    `S3 S26 shows a home screen on ${name} as the reference backend composes all of its layers`,
    onStage((stage) => {
      const launcher = [40, 20, 60, 128];
      stage.layer("wallpaper", [64, 24], BLUE, { z: 0, crop: { left: 16, top: 0, right: 48, bottom: 24 } });
      stage.layer("launcher", [32, 24], launcher, { z: 1 });
      stage.layer("status", [32, 2], [9, 9, 9, 255], { z: 2 });
      stage.layer("navigation", [16, 3], RED, { z: 3, position: { x: 8, y: 21 }, alpha: 0.6 });
      stage.flinger.createLayer({
        name: "dim",
        z: 4,
        position: { x: 2, y: 5 },
        size: { width: 5, height: 4 },
        color: { r: 0, g: 1, b: 0, a: 1 },
      });
      stage.vsyncs(3);
      using wallpaper = blank(64, 24), middle = blank(), status = blank(32, 2), bar = blank(16, 3), dim = blank(5, 4);
      const at = (left: number, top: number, right: number, bottom: number) => ({ left, top, right, bottom });
      const expected = reference([
        flat(wallpaper, BLUE, 0, { sourceCrop: at(16, 0, 48, 24), displayFrame: at(0, 0, 32, 24) }),
        flat(middle, launcher, 1),
        flat(status, [9, 9, 9, 255], 2),
        flat(bar, RED, 3, { displayFrame: at(8, 21, 24, 24), planeAlpha: 0.6 }),
        flat(dim, GREEN, 4, { displayFrame: at(2, 5, 7, 9) }),
      ]);
      assertEquals(stage.screen(), expected);
      assertEquals(stage.said, []);
      using captured = stage.flinger.capture(0);
      assertEquals([...captured.lock().subarray(0, 4)], [9, 9, 9, 255]);
      captured.unlock();
    }, options),
  );
}

Deno.test(
  "S23 S24 S25 S27 asks the composer for every layer, takes its changes, composes the rest and presents",
  () => {
    const calls: string[] = [];
    onStage((stage) => {
      calls.length = 0;
      stage.layer("below", [32, 24], RED);
      stage.layer("above", [8, 8], GREEN, { z: 1 });
      stage.vsyncs(3);
      const of = (name: string) => calls.findIndex((call) => call === name);
      const order = [
        "setLayerBuffer",
        "setLayerCompositionType",
        "validateDisplay",
        "getChangedCompositionTypes",
        "acceptDisplayChanges",
        "setClientTarget",
        "presentDisplay",
        "getReleaseFences",
      ];
      assertEquals(order.map(of), order.map(of).toSorted((a, b) => a - b), calls.join(" "));
      assert(order.every((name) => calls.includes(name)));
      assertEquals(stage.flinger.displays[0].layers.map(({ composition }) => composition), [
        COMPOSITION.CLIENT,
        COMPOSITION.CLIENT,
      ]);
    }, { strategy: clientOnly(), between: (composer) => recorded(composer, calls) })();
    onStage((stage) => {
      calls.length = 0;
      stage.layer("only", [32, 24], RED);
      stage.vsyncs(3);
      assert(!calls.includes("setClientTarget"), "S26: nothing is the client's");
      assertEquals(stage.flinger.displays[0].layers, [{ name: "only", composition: COMPOSITION.DEVICE }]);
    }, { between: (composer) => recorded(composer, calls) })();
  },
);

function recorded<Thing extends object>(thing: Thing, calls: string[]): Thing {
  return new Proxy(thing, {
    get(target, name) {
      const value = Reflect.get(target, name);
      if (typeof value !== "function") return value;
      return (...args: unknown[]) => {
        calls.push(typeof args[0] === "bigint" && name === "presentDisplay" ? "presentDisplay" : String(name));
        return value.apply(target, args);
      };
    },
  });
}

Deno.test(
  "a layer of a colour is seen when it is made, though no buffer comes",
  onStage((stage) => {
    stage.layer("below", [WIDTH, HEIGHT], RED);
    stage.vsyncs(3);
    stage.flinger.createLayer({ color: { r: 0, g: 1, b: 0, a: 1 }, size: { width: 8, height: 8 } });
    stage.vsyncs(3);
    assertEquals([stage.pixel(2, 2), stage.pixel(12, 12)], [[0, 255, 0], [255, 0, 0]]);
  }),
);

Deno.test(
  "S41 S42 S43 shows no frame that is not drawn, and gives buffers back with a fence of the flip",
  onStage((stage) => {
    const layer = stage.layer("app", [32, 24], RED), window = layer.window!;
    stage.vsyncs(2);
    const { fence, signal } = NativeFence.create();
    draw(window, GREEN, fence);
    stage.vsyncs(4);
    assertEquals([stage.pixel(0, 0), layer.frameNumber], [[255, 0, 0], 1n]);
    signal();
    stage.vsyncs(1);
    assertEquals(layer.frameNumber, 2n);
    const taken = window.dequeueBuffer();
    if (typeof taken === "number") throw new Error(`no buffer: status ${taken}`);
    assertEquals(taken.fence.poll(), false, "the first frame is on the panel until the flip");
    stage.vsyncs(1);
    assertEquals([stage.pixel(0, 0), taken.fence.poll()], [[0, 255, 0], true]);
    window.cancelBuffer(taken.buffer, taken.fence);
  }),
);

Deno.test(
  "a layer whose fence never signals holds nobody else up",
  onStage((stage) => {
    const { fence, signal } = NativeFence.create();
    const stuck = stage.flinger.createLayer({ name: "stuck", window: { width: 8, height: 8 }, z: 1 });
    stuck.window!.apiConnect(2);
    draw(stuck.window!, GREEN, fence);
    const layer = stage.layer("app", [32, 24], RED);
    stage.vsyncs(3);
    draw(layer.window!, BLUE);
    stage.vsyncs(3);
    assertEquals([stage.pixel(1, 1), stuck.frameNumber, layer.frameNumber], [[0, 0, 255], undefined, 2n]);
    const { wakes } = stage.flinger.statistics;
    stage.vsyncs(50);
    assertEquals(stage.flinger.statistics.wakes, wakes, "waiting is no reason to compose");
    signal();
  }),
);

Deno.test(
  "a mailbox shows the newest frame, a FIFO one frame a vsync",
  onStage((stage) => {
    const [fifo, mailbox] = [0, 1].map((z) =>
      stage.flinger.createLayer({ name: `${z}`, window: { width: 8, height: 8 }, position: { x: 8 * z, y: 0 } })
    );
    for (const { window } of [fifo, mailbox]) window!.apiConnect(2);
    mailbox.window!.setSwapInterval(0);
    for (const { window } of [fifo, mailbox]) {
      window!.setBufferCount(6);
      for (const color of [RED, GREEN, BLUE]) assert(draw(window!, color));
    }
    stage.vsyncs();
    assertEquals([fifo.frameNumber, mailbox.frameNumber], [1n, 3n]);
    stage.vsyncs();
    assertEquals([fifo.frameNumber, stage.pixel(1, 1), stage.pixel(9, 1)], [2n, [255, 0, 0], [0, 0, 255]]);
    stage.vsyncs(2);
    assertEquals([fifo.frameNumber, stage.pixel(1, 1)], [3n, [0, 0, 255]]);
  }),
);

Deno.test(
  "a producer that is killed leaves its last frame, and another one goes on",
  onStage((stage) => {
    const layer = stage.layer("app", [32, 24], RED), window = layer.window!;
    stage.vsyncs(2);
    draw(window, GREEN);
    window.apiDisconnect(2);
    stage.vsyncs(2);
    assertEquals(stage.pixel(0, 0), [0, 255, 0], "what was queued is shown");
    window.apiConnect(2);
    draw(window, BLUE);
    stage.vsyncs(2);
    assertEquals(stage.pixel(0, 0), [0, 0, 255]);
    layer.close();
    stage.vsyncs(2);
    assertEquals(stage.pixel(0, 0), [0, 0, 0], "one black frame");
    const { wakes } = stage.flinger.statistics, { frames } = stage.flinger.displays[0];
    stage.vsyncs(20);
    assertEquals([stage.flinger.statistics.wakes, stage.flinger.displays[0].frames], [wakes, frames]);
  }),
);

Deno.test(
  "children move, fade and hide with their parent",
  onStage((stage) => {
    const parent = stage.flinger.createLayer({ name: "parent", position: { x: 4, y: 4 } });
    const child = stage.layer("child", [4, 4], RED, { parent, position: { x: 2, y: 0 } });
    stage.vsyncs(2);
    assertEquals([stage.pixel(5, 5), stage.pixel(6, 5)], [[0, 0, 0], [255, 0, 0]]);
    parent.set({ position: { x: 10, y: 4 }, alpha: 0.5 });
    stage.vsyncs(2);
    assertEquals([stage.pixel(6, 5), stage.pixel(12, 5)], [[0, 0, 0], [128, 0, 0]]);
    parent.set({ isHidden: true });
    stage.vsyncs(2);
    assertEquals([stage.pixel(12, 5), child.frameNumber], [[0, 0, 0], 1n]);
    parent.set({ parent: child });
    stage.vsyncs(2);
    assertEquals(stage.said.at(-1)?.includes("its own parent"), true);
  }),
);

Deno.test(
  "frame timestamps say when a frame was on the display",
  onStage((stage) => {
    const layer = stage.layer("app", [32, 24], RED), window = layer.window!;
    window.enableFrameTimestamps(true);
    const frame = window.nextFrameId();
    draw(window, GREEN);
    stage.vsyncs(6);
    const times = window.frameTimestamps(frame);
    if (typeof times === "number") throw new Error(`no timestamps: status ${times}`);
    assertEquals((times.displayPresent - 1_000_000_000n) % 16_666_667n, 0n);
    assert(times.displayPresent > 1_000_000_000n && times.latch > 0n);
  }),
);

Deno.test(
  "dump() tells of displays, layers and who composes them",
  onStage((stage) => {
    stage.layer("status bar", [32, 2], CLEAR);
    stage.vsyncs(2);
    const text = stage.flinger.dump();
    for (const part of ['Display 0 "', "primary", "DEVICE", '"status bar"', "frame 1 in buffer", "1 wakes"]) {
      assert(text.includes(part), `${part} in ${text}`);
    }
  }),
);

Deno.test(
  "300 frames with killed producers, lost fences, hotplugs and power cycles leave nothing open",
  onStage((stage) => {
    const { flinger, composer } = stage, never: (() => void)[] = [];
    let layer = stage.layer("app", [32, 24], RED);
    const still = stage.layer("bar", [32, 2], GREEN, { z: 5 });
    for (let count = 0; count < 300; count++) {
      const { fence, signal } = NativeFence.create();
      if (count % 50 === 33) never.push(signal);
      else signal();
      if (!draw(layer.window!, [count & 255, 0, 0, 255], fence)) fence.close();
      if (count % 60 === 40) {
        layer.close();
        layer = stage.layer("app", [32, 24], BLUE);
      }
      if (count % 30 === 5) composer.unplug(composer.plug({ name: `external ${count}` }));
      if (count % 70 === 9) { for (const mode of [0, 2]) flinger.setPowerMode(0, mode); }
      if (count % 10 === 0) still.set({ position: { x: count % 7, y: 0 } });
      stage.vsyncs();
    }
    assert(flinger.statistics.latched > 100, `${flinger.statistics.latched} latched`);
    assertEquals(flinger.displays.length, 1);
    for (const signal of never) signal();
  }),
);
