import { assertEquals, assertThrows } from "@std/assert";
import { eightPlane, onePlane } from "../../../hwc/planes/models.ts";
import { HwcError } from "../../../hwc/hwc_error.ts";
import { COMPOSITION, ERROR } from "../../../hwc/types.ts";
import type { SurfaceLayer } from "../../../hwc/flinger/layers/surface_layer.ts";
import { SurfaceFlinger } from "../../../hwc/flinger/surface_flinger.ts";
import { ManualClock } from "../../../hwc/core/time/clock.ts";
import { createReferenceComposer } from "../../../hwc/simulated/reference_composer.ts";
import type { ReferenceComposer } from "../../../hwc/core/controls.ts";
import { NativeFence } from "../../../wsi/fence/native_fence.ts";
import { CpuWindow } from "../../../wsi/window/cpu_window.ts";
import { NativeWindow } from "../../../wsi/window/native_window.ts";
import type { FrameSource } from "../../../wsi/contract/frame_consumer.ts";
import { blank, BLUE, draw, GREEN, onStage, RED, type Stage, words } from "./stage.ts";

/** The planes that leave every layer to the composer, or nearly all to the client. */
const PLANES = [eightPlane(), onePlane()];

type Sicken = (layer: SurfaceLayer, stage: Stage) => void;

const damaged = (left: number, top: number, right: number, bottom: number): Sicken => (layer) => {
  layer.window!.setSurfaceDamage([{ left, top, right, bottom }]);
  draw(layer.window!, BLUE);
};

const SICK: Record<string, Sicken> = {
  "a frame from -3e9 to 3e9": (layer) => layer.set({ position: { x: -3e9, y: 12 }, size: { width: 6e9, height: 4 } }),
  "a width of 1e12": (layer) => layer.set({ position: { x: 16, y: 12 }, size: { width: 1e12, height: 4 } }),
  "a size of 1e300": (layer) => layer.set({ position: { x: 16, y: 12 }, size: { width: 1e300, height: 1e300 } }),
  "a sum of places beyond all numbers": (layer, { flinger }) => {
    const parent = flinger.createLayer({ position: { x: 1.7e308, y: 0 } });
    layer.set({ parent, position: { x: 1.7e308, y: 0 } });
  },
  "a child of a far parent": (layer, { flinger }) => {
    const parent = flinger.createLayer({ position: { x: -2e9, y: 0 } });
    layer.set({ parent, position: { x: -2e9, y: 12 }, size: { width: 5e9, height: 4 } });
  },
  "damage to 2 ** 31": damaged(1, 0, 2 ** 31, 5),
  "damage of OpenGL to 2 ** 31": damaged(1, 1, 2 ** 31, 0),
  "damage beyond the buffer on all sides": damaged(-(2 ** 31), -(2 ** 31), 2 ** 32 - 1, 2 ** 32 - 1),
  "100,000 damaged rectangles": (layer) => {
    const rect = { left: 1, top: 0, right: 3, bottom: 5 };
    layer.window!.setSurfaceDamage(Array(100_000).fill(rect));
    draw(layer.window!, BLUE);
  },
  "a dataspace above the signed range": (layer) => {
    layer.window!.setBuffersDataspace(0xffffffff);
    draw(layer.window!, BLUE);
  },
  "HDR metadata without numbers": (layer) => {
    const point = { x: NaN, y: Infinity };
    const points = { red: point, green: point, blue: point, white: point };
    layer.window!.setBuffersSmpte2086({ ...points, maxLuminance: NaN, minLuminance: -Infinity });
    layer.window!.setBuffersCta8613({ maxContentLightLevel: Infinity, maxFrameAverageLightLevel: NaN });
    draw(layer.window!, BLUE);
  },
  "a buffer that is closed in the queue": ({ window }) => {
    const taken = window!.dequeueBuffer();
    if (typeof taken === "number") throw new Error(`no buffer: status ${taken}`);
    taken.fence.close();
    window!.queueBuffer(taken.buffer, NativeFence.signaled());
    taken.buffer.close();
  },
};

/** A pixel of a window's newest frame. */
function lastOf(source: FrameSource): number {
  let pixel = 0;
  for (let frame = source.acquire(); frame; frame = source.acquire()) {
    pixel = words(frame.buffer)[33];
    frame.release();
  }
  return pixel;
}

for (const planes of PLANES) {
  for (const [what, sicken] of Object.entries(SICK)) {
    Deno.test(
      `${what} of one layer leaves the others their frames: ${planes.name}`,
      onStage((stage) => {
        const sources: FrameSource[] = [],
          consumer = { attach: (one: FrameSource) => void sources.push(one), onFrame() {} };
        using window = new NativeWindow({ width: 32, height: 24, consumer });
        stage.flinger.createVirtualDisplay({ window, usesComposer: false }); // the client draws all of it
        const healthy = stage.layer("healthy", [8, 8], RED);
        const sick = stage.layer("sick", [8, 8], BLUE, { position: { x: 16, y: 12 }, z: 1 });
        stage.vsyncs(2);
        sicken(sick, stage);
        for (const color of [GREEN, RED, GREEN]) {
          draw(healthy.window!, color);
          stage.vsyncs(2);
          assertEquals(stage.pixel(1, 1), color.slice(0, 3));
          assertEquals(lastOf(sources[0]), (color[0] | color[1] << 8 | 255 << 24) >>> 0);
        }
        assertEquals(stage.flinger.displays.map(({ failed }) => failed), [0, 0]);
        const told = stage.said.filter((sentence) => sentence.includes('layer "sick" is left out'));
        assertEquals(new Set(told).size, told.length, "told once for a display");
        stage.flinger.close();
      }, { panels: [{ modes: [{ width: 32, height: 24, refreshRate: 60 }], planes }] }),
    );
  }
}

/** A composer whose method refuses a layer by its name, or with `isLate`, the next call that has an answer. */
function refusing(methods: ReadonlySet<string>, name: string, isLate = false, code: number = ERROR.BAD_PARAMETER) {
  return (composer: ReferenceComposer): ReferenceComposer => {
    const sick = new Set<unknown>();
    let late: HwcError | undefined;
    return new Proxy(composer, {
      get(target, key) {
        const value: unknown = Reflect.get(target, key);
        if (key === "nameLayer") {
          return (_: bigint, layer: bigint, given: string) => void (given === name && sick.add(layer));
        }
        if (typeof value !== "function") return value;
        return (...args: unknown[]) => {
          if (methods.has(String(key)) && sick.has(args[1])) {
            const error = new HwcError(String(key), code, "not this value");
            if (!isLate) throw error;
            late ??= Object.assign(error, { layer: args[1] as bigint });
            return;
          }
          if (late && !String(key).startsWith("set")) {
            const error = late;
            late = undefined;
            throw error;
          }
          return value.apply(target, args);
        };
      },
    });
  };
}

for (
  const method of [
    "setLayerDisplayFrame",
    "setLayerSourceCrop",
    "setLayerZOrder",
    "setLayerTransform",
    "setLayerBlendMode",
    "setLayerPlaneAlpha",
    "setLayerVisibleRegion",
    "setLayerDataspace",
    "setLayerSurfaceDamage",
    "setLayerBuffer",
    "setLayerCompositionType",
    "destroyLayer",
  ]
) {
  for (const isLate of method === "destroyLayer" ? [false] : [false, true]) leavesOut(method, isLate);
}

/** Registers the test of a method that refuses a layer. */
function leavesOut(method: string, isLate: boolean): void {
  const methods = new Set([method]), when = isLate ? "later" : "at once";
  Deno.test(
    `a layer that ${method} refuses ${when} is left out, told once, and comes back; what it covered is seen meanwhile`,
    onStage((stage) => {
      methods.clear();
      stage.layer("below", [32, 24], RED);
      const sick = stage.layer("sick", [32, 24], GREEN, { z: 1 });
      stage.vsyncs(2);
      assertEquals(stage.pixel(1, 1), [0, 255, 0]);
      methods.add(method);
      sick.set(
        method === "destroyLayer" ? { isHidden: true } : {
          position: { x: 0, y: 1 },
          crop: { left: 0, top: 0, right: 31, bottom: 23 },
          transform: 3,
          alpha: 0.999,
          dataspace: 142671872,
          z: 2,
          blend: 3,
          isCursor: true,
        },
      );
      const beneath = stage.layer("beneath", [32, 24], BLUE, { z: 0.5 }); // which changes z of the one above
      for (let frame = 0; frame < 4; frame++) {
        sick.window!.setSurfaceDamage([{ left: 0, top: 0, right: frame + 1, bottom: 1 }]);
        draw(sick.window!, GREEN);
        stage.vsyncs(2);
      }
      if (method !== "destroyLayer") assertEquals(stage.pixel(1, 1), [0, 0, 255]);
      assertEquals([stage.flinger.displays[0].failed, stage.said.length > 0], [0, true]);
      if (method !== "destroyLayer") assertEquals(stage.said.length, 1, stage.said.join("\n"));
      methods.clear();
      beneath.close();
      stage.vsyncs(3);
      const { layers } = stage.flinger.displays[0];
      assertEquals(layers.map(({ name }) => name), method === "destroyLayer" ? ["below"] : ["below", "sick"]);
    }, { between: refusing(methods, "sick", isLate) }),
  );
}

/** The point of a buffer that a point of the screen shows, by the definition of transforms: turned back, then flipped. */
function shownPoint(
  x: number,
  y: number,
  [left, top, width, height]: number[],
  transform: number,
  size: number,
): number[] {
  let u = (x - left) / width, v = (y - top) / height;
  if (transform & 4) [u, v] = [v, 1 - u];
  if (transform & 1) u = 1 - u;
  if (transform & 2) v = 1 - v;
  return [u * size, v * size];
}

for (const planes of PLANES) {
  Deno.test(
    `a layer of billions of pixels shows the part of its buffer that lies on the screen: ${planes.name}`,
    onStage((stage) => {
      const size = 8, layer = stage.flinger.createLayer({ window: { width: size, height: size } });
      new CpuWindow(layer.window!).drawPixels((pixels, stride) => {
        for (let y = 0; y < size; y++) {
          for (let x = 0; x < size; x++) pixels[y * stride + x] = (0xff000000 | y << 12 | x << 4) >>> 0;
        }
      });
      for (let transform = 0; transform < 8; transform++) {
        for (const scale of [1e5, 4e9, 1e12, 1e15]) {
          const place = [-scale * 2.5 / size, -scale * 6.5 / size, scale, scale]; // the screen's corner is a pixel's middle
          layer.set({ transform, position: { x: place[0], y: place[1] }, size: { width: scale, height: scale } });
          stage.vsyncs(3);
          const [x, y] = shownPoint(0.5, 0.5, place, transform, size).map(Math.floor);
          assertEquals(stage.pixel(0, 0), [x << 4, y << 4, 0], `transform ${transform}, ${scale} pixels`);
        }
      }
      assertEquals([stage.flinger.displays[0].failed, stage.said], [0, []]);
    }, { panels: [{ modes: [{ width: 32, height: 24, refreshRate: 60 }], planes }] }),
  );
}

Deno.test(
  "a cursor is moved to whole pixels, and not to a place that is none",
  onStage((stage) => {
    stage.layer("below", [32, 24], RED);
    const cursor = stage.layer("cursor", [4, 4], GREEN, { isCursor: true, z: 1 });
    stage.vsyncs(3);
    assertEquals(stage.flinger.displays[0].layers[1].composition, COMPOSITION.CURSOR);
    cursor.moveCursor(10.4, 9.6);
    stage.vsyncs(2);
    assertEquals([stage.pixel(10, 10), stage.pixel(9, 10)], [[0, 255, 0], [255, 0, 0]]);
    for (const far of [3e9, -3e9, 1e300]) cursor.moveCursor(far, 0);
    stage.vsyncs(2);
    for (const bad of [NaN, Infinity]) {
      let error: unknown;
      try {
        cursor.moveCursor(bad, 0);
      } catch (thrown) {
        error = thrown;
      }
      assertEquals(error instanceof RangeError, true);
    }
    assertEquals(stage.said, []);
  }),
);

for (const isLate of [false, true]) {
  const methods = new Set(["setLayerPerFrameMetadata", "setLayerColorTransform"]);
  Deno.test(
    `a composer that ${isLate ? "later " : ""}says that it lacks HDR metadata and colour transforms does without`,
    onStage((stage) => {
      const layer = stage.layer("sick", [32, 24], RED);
      stage.vsyncs(2);
      layer.window!.setBuffersCta8613({ maxContentLightLevel: 1000, maxFrameAverageLightLevel: 400 });
      for (const color of [GREEN, BLUE, GREEN]) {
        draw(layer.window!, color);
        stage.vsyncs(2);
        assertEquals(stage.pixel(1, 1), color.slice(0, 3));
      }
      layer.set({ colorTransform: [0, 0, 1, 0, 0, 1, 0, 0, 1, 0, 0, 0, 0, 0, 0, 1] }); // red is blue
      draw(layer.window!, RED);
      stage.vsyncs(3);
      assertEquals(stage.pixel(1, 1), [0, 0, 255]);
      assertEquals([stage.flinger.displays[0].failed, stage.said], [0, []]);
    }, { between: refusing(methods, "sick", isLate, ERROR.UNSUPPORTED) }),
  );
}

Deno.test(
  "a member that a change names without a value gets its default, and all go on",
  onStage((stage) => {
    const healthy = stage.layer("healthy", [8, 8], RED);
    const other = stage.layer("other", [8, 8], BLUE, { position: { x: 16, y: 12 }, z: 1, alpha: 0.5 });
    stage.vsyncs(2);
    for (const name of Object.keys(other.state)) other.set({ [name]: undefined });
    draw(healthy.window!, GREEN);
    stage.vsyncs(2);
    assertEquals([stage.pixel(1, 1), stage.pixel(17, 13)], [[0, 0, 255], [0, 0, 0]], "at 0, 0 above the other now");
    other.close();
    stage.vsyncs(2);
    assertEquals([stage.pixel(1, 1), stage.flinger.displays[0].failed, stage.said], [[0, 255, 0], 0, []]);
  }),
);

Deno.test(
  "thousands of layers in each other are shown",
  onStage((stage) => {
    stage.layer("healthy", [8, 8], RED);
    let parent = stage.flinger.createLayer({ position: { x: 10, y: 0 } });
    for (let depth = 0; depth < 3000; depth++) {
      parent = stage.flinger.createLayer({ parent, position: { x: depth % 2 ? 1 : -1, y: 0 } });
    }
    const innermost = stage.layer("innermost", [4, 4], GREEN, { parent });
    stage.vsyncs(2);
    assertEquals([stage.pixel(1, 1), stage.pixel(11, 1), stage.said], [[255, 0, 0], [0, 255, 0], []]);
    innermost.close();
  }),
);

Deno.test(
  "a composer without room for layers is named once",
  onStage((stage) => {
    for (let x = 0; x < 6; x++) stage.layer(`layer ${x}`, [4, 4], RED, { position: { x: 5 * x, y: 0 } });
    for (let frame = 0; frame < 4; frame++) {
      for (const layer of stage.flinger.layers) draw(layer.window!, frame % 2 ? RED : GREEN);
      stage.vsyncs(2);
    }
    assertEquals([stage.pixel(1, 1), stage.pixel(26, 1)], [[255, 0, 0], [255, 0, 0]]);
    assertEquals(stage.said.length, 1, stage.said.join("\n"));
  }, { maxLayers: 3 }),
);

Deno.test(
  "what is no fence, no damage and no window is refused where it is given",
  onStage((stage) => {
    const { window } = stage.layer("app", [8, 8], RED), taken = window!.dequeueBuffer();
    if (typeof taken === "number") throw new Error(`no buffer: status ${taken}`);
    for (const none of [null, undefined, "fence", 7, {}]) {
      assertThrows(() => window!.queueBuffer(taken.buffer, none as never), TypeError, "expected a NativeFence");
      assertThrows(() => window!.cancelBuffer(taken.buffer, none as never), TypeError, "expected a NativeFence");
      assertEquals(window!.setSurfaceDamage(none as never), -22);
      const virtual = () => stage.flinger.createVirtualDisplay({ window: none as never });
      assertThrows(virtual, TypeError, "window");
    }
    assertEquals(window!.queueBuffer(taken.buffer, taken.fence), 0);
    using other = new NativeWindow({ width: 8, height: 8 });
    for (const width of [0.5, 5e-324, -1, 0, 2 ** 31, NaN]) {
      assertThrows(() => stage.flinger.createVirtualDisplay({ window: other, width }), RangeError, "pixels");
    }
  }),
);

Deno.test("a log that throws stops no frame, and is counted", () => {
  const clock = new ManualClock(), panels = [{ modes: [{ width: 32, height: 24, refreshRate: 60 }] }];
  using composer = createReferenceComposer({ clock, panels });
  const log = () => {
    throw new Error("no paper");
  };
  using flinger = new SurfaceFlinger({ composer, log });
  const healthy = flinger.createLayer({ window: { width: 8, height: 8 } });
  const sick = flinger.createLayer({ window: { width: 8, height: 8 }, position: { x: 16, y: 0 } });
  healthy.window!.apiConnect(2);
  sick.window!.apiConnect(2);
  SICK["a buffer that is closed in the queue"](sick, undefined as never);
  flinger.setColorMode(0, 99);
  for (const color of [RED, GREEN]) {
    draw(healthy.window!, color);
    clock.advance(50_000_000n);
    using into = blank();
    composer.capture(flinger.displays[0].handle!, into);
    assertEquals(words(into)[33], (color[0] | color[1] << 8 | 0xff000000) >>> 0);
  }
  assertEquals([flinger.displays[0].failed, flinger.statistics.unsaid], [0, 2]);
});
