/**
 * The duties of a hardware composer by Android's description of it, statement
 * by statement, as far as it is a composer's and not its client's.
 *
 * @module
 */
import { assert, assertEquals, assertThrows } from "@std/assert";
import { CALLBACK, CONNECTION_TYPE, POWER_MODE } from "../../hwc/device_types.ts";
import { functionDescriptor, missingFunctions } from "../../hwc/function_names.ts";
import { HwcError } from "../../hwc/hwc_error.ts";
import { eightPlane, fourPlane, onePlane, videoPlane } from "../../hwc/planes/models.ts";
import { clientOnly, firstLayers, leastGpuWork } from "../../hwc/planes/strategy.ts";
import { BLEND, COMPOSITION, FORMAT, type Rect } from "../../hwc/types.ts";
import { NativeFence } from "../../wsi/fence/native_fence.ts";
import {
  fullScreenVideo,
  homeScreen,
  LANDSCAPE,
  landscapeGame,
  PORTRAIT,
  portraitGame,
  splitScreen,
} from "./planes/scenes.ts";
import { Bench } from "./core/frame.ts";
import { onBench } from "./core/leaves_nothing.ts";

const RED = [255, 0, 0, 255], BLUE = [0, 0, 255, 255];
const ALL: Rect = { left: 0, top: 0, right: 32, bottom: 24 };
const composition = leastGpuWork();

Deno.test(
  "S1 composites the layers that a client gives it, and lowers the GPU's work",
  onBench((bench) => {
    bench.layer(bench.buffer(RED));
    bench.layer(bench.buffer(BLUE, [8, 8]), undefined, 1);
    bench.present().close();
    bench.vsyncs();
    assertEquals([bench.pixel(2, 2), bench.pixel(20, 20)], [[0, 0, 255], [255, 0, 0]]);
    assertEquals(bench.composer.plan(bench.display)!.gpuWork, 0);
  }),
);

Deno.test("S2 abstracts overlays and blitters: the same layers go on the planes of any controller", () => {
  for (const model of [onePlane(), fourPlane(), eightPlane(), videoPlane()]) {
    const plan = composition.plan(homeScreen(), model, PORTRAIT);
    assertEquals(plan.stack.every(({ plane }) => model.planes.some(({ name }) => name === plane)), true);
  }
});

Deno.test("S3 S44 shows status bar, system bar, application and wallpaper on four overlays at once", () => {
  assertEquals(composition.plan(homeScreen(), fourPlane(), PORTRAIT).stack.length, 4);
});

Deno.test(
  "S4 S44 shows layers larger than the display",
  onBench((bench) => {
    const { composer, display } = bench, layer = bench.layer(bench.buffer(RED, [100, 90]));
    composer.setLayerSourceCrop(display, layer, { left: 10, top: 5, right: 42, bottom: 29 });
    composer.setLayerDisplayFrame(display, layer, ALL);
    const beyond = bench.layer(bench.buffer(BLUE, [100, 90]), { left: 20, top: -30, right: 120, bottom: 60 }, 1);
    assertEquals(composer.validateDisplay(display).numTypes, 0);
    composer.presentDisplay(display).close();
    bench.vsyncs();
    assertEquals([bench.pixel(5, 5), bench.pixel(25, 5)], [[255, 0, 0], [0, 0, 255]], `layers and ${beyond}`);
  }),
);

Deno.test(
  "S5 S44 blends by the pixels' alpha and the plane's at the same time",
  onBench((bench) => {
    const { composer, display } = bench;
    bench.layer(bench.buffer([0, 0, 0, 255]));
    const half = bench.layer(bench.buffer([128, 0, 0, 128]), undefined, 1);
    composer.setLayerBlendMode(display, half, BLEND.PREMULTIPLIED);
    composer.setLayerPlaneAlpha(display, half, 0.5);
    assertEquals(composer.validateDisplay(display).numTypes, 0);
    composer.presentDisplay(display).close();
    bench.vsyncs();
    assertEquals(bench.pixel(1, 1), [64, 0, 0]);
  }),
);

Deno.test("S6 S44 has a way through hardware for protected video", () => {
  for (const model of [eightPlane(), videoPlane()]) {
    const { decisions } = composition.plan(fullScreenVideo({ isProtected: true }), model, LANDSCAPE);
    const plane = model.planes.find(({ name }) => name === decisions[0].plane);
    assertEquals(plane?.protected, true);
  }
});

Deno.test(
  "S7 S44 takes RGBA in all packing orders, YUV, and rows with space between them",
  onBench((bench) => {
    const { composer, display } = bench;
    for (
      const [format, color] of [[FORMAT.RGBA_8888, RED], [FORMAT.BGRA_8888, BLUE], [FORMAT.RGBX_8888, RED]] as const
    ) {
      const layer = bench.layer(bench.buffer(color, [31, 24], format));
      composer.setLayerDisplayFrame(display, layer, ALL);
      assertEquals(composer.validateDisplay(display).numTypes, 0);
      composer.presentDisplay(display).close();
      bench.vsyncs();
      assertEquals(bench.pixel(4, 4), [255, 0, 0], `format ${format}`);
      composer.destroyLayer(display, layer);
    }
    for (const format of [FORMAT.YCBCR_420_888, FORMAT.YCRCB_420_SP, FORMAT.YV12]) {
      const layer = bench.layer(bench.buffer([], [32, 24], format));
      assertEquals(composer.validateDisplay(display).numTypes, 0, `format ${format}`);
      composer.presentDisplay(display).close();
      bench.vsyncs();
      composer.destroyLayer(display, layer);
    }
  }, { planes: eightPlane() }),
);

Deno.test("S8 begins with a composer that sends everything to the client", () => {
  const plan = clientOnly().plan(homeScreen(), fourPlane(), PORTRAIT);
  assertEquals(plan.decisions.map(({ given }) => given), [1, 1, 1, 1]);
});

Deno.test("S9 delegates more and more: the first surfaces to overlays", () => {
  const given = [0, 1, 2, 3].map((most) =>
    firstLayers(most).plan(homeScreen(), fourPlane(), PORTRAIT).decisions.filter(({ plane }) => plane).length
  );
  assertEquals(given, [0, 1, 2, 3]);
});

Deno.test("S10 picks the surfaces that take most off the GPU", () => {
  const model = { ...fourPlane(), planes: fourPlane().planes.slice(0, 2) };
  const plan = composition.plan(splitScreen(), model, PORTRAIT);
  const best = firstLayers(9).plan(splitScreen(), model, PORTRAIT);
  assert(plan.gpuWork <= best.gpuWork && plan.gpuWork < plan.totalWork);
});

Deno.test(
  "S11 hands composition to the client when the screen does not update, and takes it back when it does",
  onBench((bench) => {
    const { composer, display } = bench;
    let refreshed = 0;
    composer.registerCallback(CALLBACK.REFRESH, () => refreshed++);
    const layers = [bench.layer(), bench.layer(bench.buffer(RED, [8, 8]), undefined, 1)];
    bench.present().close();
    bench.clock.advance(600_000_000n);
    assertEquals(refreshed, 1);
    assertEquals(composer.validateDisplay(display).numTypes, 2);
    composer.acceptDisplayChanges(display);
    composer.presentDisplay(display).close();
    for (const layer of layers) composer.setLayerCompositionType(display, layer, COMPOSITION.DEVICE);
    assertEquals(composer.validateDisplay(display).numTypes, 0);
  }, { flattenAfter: 500 }),
);

const SCENES = {
  "the home screen": [homeScreen(), PORTRAIT],
  "an upright game": [portraitGame(), PORTRAIT],
  "a game across": [landscapeGame(), LANDSCAPE],
  "a video with captions and controls": [fullScreenVideo(), LANDSCAPE],
  "a protected video": [fullScreenVideo({ isProtected: true }), LANDSCAPE],
} as const;
for (const [name, [layers, screen]] of Object.entries(SCENES)) {
  Deno.test(`S12 is prepared for ${name}: the GPU has nothing to do`, () => {
    const plan = composition.plan(layers, eightPlane(), screen);
    assertEquals([plan.gpuWork, plan.target], [0, undefined]);
  });
}
Deno.test("S12 is prepared for a split screen: the GPU has the bars and the divider at most", () => {
  assertEquals(composition.plan(splitScreen(), eightPlane(), PORTRAIT).gpuWork, 0);
  const four = composition.plan(splitScreen(), fourPlane(), PORTRAIT);
  assert(four.gpuWork < four.totalWork * 0.1);
});

Deno.test("S13 S18 S19 has displays and layers behind handles that it makes, and setters take handle and data", () => {
  using bench = new Bench();
  const { composer, display } = bench, layer = composer.createLayer(display);
  assertEquals([typeof display, typeof layer], ["bigint", "bigint"]);
  composer.setLayerZOrder(display, layer, 3);
  assertThrows(() => composer.setLayerZOrder(layer, display, 3), HwcError, "BAD_DISPLAY");
});

Deno.test("S14 lets vsyncs be turned on and off, and calls back at each", () => {
  using bench = new Bench();
  const { composer, display } = bench, times: bigint[] = [];
  composer.registerCallback(CALLBACK.VSYNC, (_, time) => times.push(time));
  composer.setVsyncEnabled(display, 1);
  bench.vsyncs(3);
  composer.setVsyncEnabled(display, 2);
  bench.vsyncs(3);
  assertEquals(times.length, 3);
  assertEquals(times[2] - times[1], times[1] - times[0]);
});

Deno.test("S15 S17 gives every function by its descriptor, named as in the HAL", () => {
  using bench = new Bench();
  const { composer, display } = bench;
  assertEquals(missingFunctions((descriptor) => composer.getFunction(descriptor) !== undefined), []);
  const createLayer = composer.getFunction(functionDescriptor("createLayer")!) as (display: bigint) => bigint;
  composer.destroyLayer(display, createLayer(display));
});

Deno.test("S16 tells a display's properties, and switches its configs, colour modes and power", () => {
  using bench = new Bench({
    panels: [{
      modes: [{ width: 3840, height: 2160, refreshRate: 60 }, { width: 1920, height: 1080, refreshRate: 60 }],
    }],
  });
  const { composer, display } = bench, [uhd, hd] = composer.getDisplayConfigs(display);
  assertEquals([uhd, hd].map((config) => composer.getDisplayAttribute(display, config, 1)), [3840, 1920]);
  composer.setActiveConfig(display, hd);
  for (const mode of composer.getColorModes(display)) composer.setColorMode(display, mode);
  for (const mode of Object.values(POWER_MODE)) composer.setPowerMode(display, mode);
  composer.getClientTargetSupport(display, 1920, 1080, FORMAT.RGBA_8888, 0);
});

Deno.test("S20 S28 S30 tells of displays by hotplug, any number of which come and go", () => {
  using bench = new Bench();
  const { composer } = bench, connected = new Set<bigint>();
  composer.registerCallback(CALLBACK.HOTPLUG, (display, connection) => {
    if (connection === 1) connected.add(display);
    else connected.delete(display);
  });
  const more = [1, 2, 3, 4, 5].map((number) => composer.plug({ name: `external ${number}` }));
  assertEquals(connected.size, 6);
  for (const display of more) composer.unplug(display);
  assertEquals([...connected], [bench.display]);
});

Deno.test("S29 has exactly one internal display, the first, which is never disconnected", () => {
  using bench = new Bench();
  const { composer, display } = bench, external = composer.plug({});
  assertEquals(composer.getDisplayConnectionType(display), CONNECTION_TYPE.INTERNAL);
  assertEquals(composer.getDisplayConnectionType(external), CONNECTION_TYPE.EXTERNAL);
  assertThrows(() => composer.plug({ connection: "internal" }), HwcError);
  assertThrows(() => composer.unplug(display), HwcError);
});

Deno.test("S21 makes virtual displays as long as there are some, and then says that there are none", () => {
  using bench = new Bench({ virtualDisplays: { count: 1 } });
  const { composer } = bench, { display } = composer.createVirtualDisplay(32, 24, FORMAT.RGBA_8888);
  assertThrows(() => composer.createVirtualDisplay(32, 24, FORMAT.RGBA_8888), HwcError, "NO_RESOURCES");
  composer.destroyVirtualDisplay(display);
  using without = new Bench({ virtualDisplays: { count: 0 } });
  assertEquals(without.composer.getMaxVirtualDisplayCount(), 0);
  assertThrows(() => without.composer.createVirtualDisplay(32, 24, 1), HwcError, "NO_RESOURCES");
});

Deno.test(
  "S23 S24 S25 S26 S27 goes from updated layers by validate, changed types, accept and client target to a frame",
  onBench((bench) => {
    const { composer, display } = bench, layer = bench.layer(bench.buffer(RED));
    composer.setLayerTransform(display, layer, 4);
    const { numTypes } = composer.validateDisplay(display);
    assertEquals(composer.getChangedCompositionTypes(display), [{ layer, type: COMPOSITION.CLIENT }]);
    composer.acceptDisplayChanges(display);
    composer.setClientTarget(display, bench.buffer(BLUE), null, 0, []);
    using fence = composer.presentDisplay(display);
    bench.vsyncs();
    assertEquals([numTypes, fence.poll(), bench.pixel(1, 1)], [1, true, [0, 0, 255]]);
  }),
);

Deno.test(
  "S26 shows the client target mixed with other layers",
  onBench((bench) => {
    const { composer, display } = bench;
    bench.layer(bench.buffer(RED));
    const top = bench.layer(bench.buffer(BLUE, [8, 8]), undefined, 1);
    composer.setLayerCompositionType(display, top, COMPOSITION.CLIENT);
    composer.validateDisplay(display);
    const target = bench.buffer([0, 0, 0, 0]), bytes = target.lock();
    bytes.set([0, 255, 0, 255]);
    target.unlock();
    composer.setClientTarget(display, target, null, 0, []);
    composer.presentDisplay(display).close();
    bench.vsyncs();
    assertEquals([bench.pixel(0, 0), bench.pixel(4, 4)], [[0, 255, 0], [255, 0, 0]]);
  }),
);

for (const order of ["S32 all displays validated, then all presented", "S31 S33 one display after the other"]) {
  Deno.test(
    `${order}: every display's frame is its own`,
    onBench((bench) => {
      const { composer, display } = bench,
        external = composer.plug({ modes: [{ width: 32, height: 24, refreshRate: 50 }] });
      composer.setPowerMode(external, POWER_MODE.ON);
      bench.layer(bench.buffer(RED));
      const displays = [display, external], fences: NativeFence[] = [];
      if (order.startsWith("S32")) {
        for (const id of displays) composer.validateDisplay(id);
        for (const id of displays) fences.push(composer.presentDisplay(id));
      } else for (const id of displays) fences.push(bench.present(id));
      bench.vsyncs(2);
      assertEquals(fences.map((fence) => fence.poll()), [true, true]);
      assertEquals([composer.plan(display)!.stack.length, composer.plan(external)!.stack.length], [1, 0]);
      for (const fence of fences) fence.close();
    }),
  );
}

Deno.test(
  "S34 S38 composes a virtual display into its buffer, with a fence that says when it is written",
  onBench((bench) => {
    const { composer } = bench, { display } = composer.createVirtualDisplay(32, 24, FORMAT.RGBA_8888);
    const layer = composer.createLayer(display), output = bench.buffer(), pixels = bench.buffer(RED);
    const { fence: acquire, signal } = NativeFence.create();
    composer.setLayerBuffer(display, layer, pixels, acquire);
    composer.setLayerSourceCrop(display, layer, ALL);
    composer.setLayerDisplayFrame(display, layer, ALL);
    composer.setLayerCompositionType(display, layer, COMPOSITION.DEVICE);
    composer.setOutputBuffer(display, output, null);
    using written = bench.present(display);
    assertEquals(written.poll(), false);
    signal();
    bench.vsyncs();
    assertEquals([written.poll(), [...output.lock().subarray(0, 4)]], [true, RED]);
    output.unlock();
  }),
);

Deno.test(
  "S35 S36 S37 a frame of a virtual display is the client's, mixed, or the device's",
  onBench((bench) => {
    const { composer } = bench, { display } = composer.createVirtualDisplay(32, 24, FORMAT.RGBA_8888);
    const own = bench.buffer(BLUE),
      output = bench.buffer(),
      layers = [composer.createLayer(display), composer.createLayer(display)];
    for (const [z, layer] of layers.entries()) {
      composer.setLayerBuffer(display, layer, bench.buffer(RED), null);
      composer.setLayerSourceCrop(display, layer, ALL);
      composer.setLayerDisplayFrame(display, layer, { ...ALL, left: 16 * z, right: 16 * z + 16 });
      composer.setLayerZOrder(display, layer, z);
    }
    const frame = (types: number[], target: typeof own, into: typeof own) => {
      types.forEach((type, at) => composer.setLayerCompositionType(display, layers[at], type));
      composer.setOutputBuffer(display, into, null);
      composer.validateDisplay(display);
      composer.setClientTarget(display, target, null, 0, []);
      composer.presentDisplay(display).close();
      const bytes = into.lock(), found = [[...bytes.subarray(0, 3)], [...bytes.subarray(80, 83)]];
      into.unlock();
      return found;
    };
    const { CLIENT, DEVICE } = COMPOSITION, blue = BLUE.slice(0, 3), red = RED.slice(0, 3);
    assertEquals(frame([CLIENT, CLIENT], own, own), [blue, blue], "the GPU writes the output: nothing is touched");
    assertEquals(frame([CLIENT, DEVICE], own, output), [blue, red]);
    assertEquals(frame([DEVICE, DEVICE], own, output), [red, red]);
  }),
);

Deno.test(
  "S41 S42 S43 lets the client run ahead: fences come with buffers, are waited for, and go with frames",
  onBench((bench) => {
    const { composer, display } = bench,
      layer = bench.layer(),
      signals: (() => void)[] = [],
      fences: NativeFence[] = [];
    for (let ahead = 0; ahead < 3; ahead++) {
      const { fence, signal } = NativeFence.create();
      composer.setLayerBuffer(display, layer, bench.buffer([ahead, 0, 0, 255]), fence);
      signals.push(signal);
      fences.push(bench.present());
    }
    const done = () => fences.filter((fence) => fence.poll()).length;
    bench.vsyncs(2);
    assertEquals(done(), 0);
    for (const [at, signal] of signals.entries()) {
      signal();
      bench.vsyncs();
      assertEquals([done(), bench.pixel(0, 0)[0]], [at + 1, at]);
    }
    for (const fence of fences) fence.close();
  }),
);
