import { assert, assertEquals, assertThrows } from "@std/assert";
import { HwcError } from "../../../hwc/hwc_error.ts";
import { FUNCTION_NAMES } from "../../../hwc/function_names.ts";
import type { ReferenceComposer } from "../../../hwc/core/controls.ts";
import { COMPOSITION, ERROR, FORMAT } from "../../../hwc/types.ts";
import { Bench } from "./frame.ts";

/** Methods without a display. */
const GLOBAL = new Set([
  "getCapabilities",
  "getFunction",
  "registerCallback",
  "dump",
  "createVirtualDisplay",
  "getMaxVirtualDisplayCount",
  "getDataspaceSaturationMatrix",
  "getLayerGenericMetadataKey",
  "getOverlaySupport",
  "getHdrConversionCapabilities",
  "setHdrConversionStrategy",
  "plug",
  "onFlip",
  "onHotplug",
  "onCursor",
  "close",
]);

type Method = (...args: unknown[]) => unknown;

function methodsOf(composer: ReferenceComposer): [string, Method][] {
  return Object.entries(composer).filter(([name]) => !GLOBAL.has(name)) as unknown as [string, Method][];
}

/** Methods about layers that take none. */
const OF_NO_LAYER = new Set(["createLayer", "getMaxLayerPictureProfiles"]);

/** Arguments that are wrong in every other way, too: the handle is looked at first. */
const NONSENSE = [-77, null, undefined, -77, -77];

function errorOf(call: () => unknown): number | undefined {
  return assertThrows(call, HwcError).code;
}

Deno.test("every method with a display says BAD_DISPLAY before it says anything else", () => {
  using bench = new Bench();
  const { composer } = bench, gone = composer.plug({});
  composer.unplug(gone);
  const methods = methodsOf(composer);
  assert(methods.length > 75, String(methods.length));
  for (const [name, method] of methods) {
    for (const display of [0n, 1n, 2n ** 64n - 1n, bench.display + 1n, gone]) {
      assertEquals(errorOf(() => method(display, ...NONSENSE)), ERROR.BAD_DISPLAY, name);
    }
  }
});

Deno.test("every method with a layer says BAD_LAYER before it says anything else", () => {
  using bench = new Bench();
  const { composer, display } = bench, other = composer.plug({}), layer = composer.createLayer(display);
  const destroyed = composer.createLayer(display);
  composer.destroyLayer(display, destroyed);
  const methods = methodsOf(composer).filter(([name]) => /Layer|setCursor/.test(name) && !OF_NO_LAYER.has(name));
  assert(methods.length >= 22, String(methods.length));
  for (const [name, method] of methods) {
    for (const handle of [0n, 1n, 2n ** 63n, 2n ** 64n - 1n, layer + 1n, destroyed]) {
      assertEquals(errorOf(() => method(display, handle, ...NONSENSE)), ERROR.BAD_LAYER, name);
    }
    assertEquals(errorOf(() => method(other, layer, ...NONSENSE)), ERROR.BAD_LAYER, name);
  }
});

Deno.test("every error names its method, its code and what to do", () => {
  using bench = new Bench();
  for (const [name, method] of methodsOf(bench.composer)) {
    const error = assertThrows(() => method(3n), HwcError);
    assertEquals(error.command, name);
    assert(/^\w+ failed: HWC2_ERROR_BAD_DISPLAY \(2\); .+; .+/.test(error.message), error.message);
  }
});

Deno.test("a composer has all functions of hwcomposer2.h, and no method twice", () => {
  using bench = new Bench();
  const names = Object.values(FUNCTION_NAMES);
  assertEquals([names.length, new Set(names).size], [70, 70]);
  for (const name of names) assertEquals(typeof bench.composer[name], "function", name);
});

/** Each misuse that is not covered by name elsewhere, with what it is answered by. */
const MISUSE: Readonly<Record<string, [number, (bench: Bench, layer: bigint) => unknown]>> = {
  "a transform over 7": [
    ERROR.BAD_PARAMETER,
    ({ composer, display }, layer) => composer.setLayerTransform(display, layer, 8),
  ],
  "an opacity that is none": [
    ERROR.BAD_PARAMETER,
    ({ composer, display }, layer) => composer.setLayerPlaneAlpha(display, layer, NaN),
  ],
  "a client target that is closed": [ERROR.BAD_PARAMETER, (bench) => {
    const buffer = bench.buffer();
    buffer.close();
    bench.composer.setClientTarget(bench.display, buffer, null, 0, []);
  }],
  "a layer's buffer that is closed": [ERROR.BAD_PARAMETER, (bench, layer) => {
    const buffer = bench.buffer();
    buffer.close();
    bench.composer.setLayerBuffer(bench.display, layer, buffer, null);
  }],
  "a sideband layer without the capability": [ERROR.UNSUPPORTED, (_, layer) => {
    using bench = new Bench({ sideband: false });
    const own = bench.composer.createLayer(bench.display);
    assert(own > layer - layer);
    bench.composer.setLayerCompositionType(bench.display, own, COMPOSITION.SIDEBAND);
  }],
  "an intent that a mode has not": [
    ERROR.UNSUPPORTED,
    ({ composer, display }) => composer.setColorModeWithRenderIntent(display, 0, 3),
  ],
  "a virtual display of no size": [ERROR.UNSUPPORTED, ({ composer }) => composer.createVirtualDisplay(0, 10, 1)],
  "a virtual display of a composer that is closed": [ERROR.NO_RESOURCES, () => {
    const { composer } = new Bench();
    composer.close();
    composer.createVirtualDisplay(32, 24, FORMAT.RGBA_8888);
  }],
  "a panel for a composer that is closed": [ERROR.NO_RESOURCES, () => {
    const { composer } = new Bench();
    composer.close();
    composer.plug({});
  }],
  "a strategy that is none": [
    ERROR.BAD_PARAMETER,
    ({ composer, display }) => composer.setStrategy(display, undefined as never),
  ],
  "planes that are none": [ERROR.BAD_PARAMETER, ({ composer, display }) => composer.setPlanes(display, {} as never)],
  "an output buffer that nobody can write": [ERROR.UNSUPPORTED, (bench) => {
    const { display } = bench.composer.createVirtualDisplay(32, 24, FORMAT.Y8);
    bench.composer.setOutputBuffer(display, bench.buffer([], [32, 24], FORMAT.Y8), null);
  }],
  "a cursor's place between validation and presenting": [ERROR.NOT_VALIDATED, (bench, layer) => {
    bench.composer.setLayerCompositionType(bench.display, layer, COMPOSITION.CURSOR);
    bench.composer.validateDisplay(bench.display);
    bench.composer.setCursorPosition(bench.display, layer, 1, 1);
  }],
};

for (const [what, [error, misuse]] of Object.entries(MISUSE)) {
  Deno.test(`${what} is refused with ${error}`, () => {
    using bench = new Bench();
    const layer = bench.layer();
    assertEquals(errorOf(() => misuse(bench, layer)), error);
    // And nothing is broken by it.
    bench.composer.setLayerCompositionType(bench.display, layer, COMPOSITION.DEVICE);
    bench.present().close();
  });
}

Deno.test("createVirtualDisplay() says which format can be written", () => {
  using bench = new Bench();
  const { composer } = bench;
  assertEquals(composer.createVirtualDisplay(32, 24, FORMAT.Y8).format, FORMAT.RGBA_8888);
  assertEquals(composer.createVirtualDisplay(32, 24, FORMAT.YV12).format, FORMAT.YV12);
  assertEquals(composer.createVirtualDisplay(32, 24, FORMAT.RGB_565).format, FORMAT.RGB_565);
  const { IMPLEMENTATION_DEFINED } = FORMAT;
  assertEquals(composer.createVirtualDisplay(32, 24, IMPLEMENTATION_DEFINED).format, IMPLEMENTATION_DEFINED);
});
