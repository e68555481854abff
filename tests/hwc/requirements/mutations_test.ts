/**
 * A composer that lies about one thing, or cannot do one thing, is caught by
 * the rule about that thing: for every rule there is such a composer.
 *
 * @module
 */
import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { CALLBACK, CONNECTION_TYPE, POWER_MODE, VSYNC } from "../../../hwc/device_types.ts";
import { HwcError } from "../../../hwc/hwc_error.ts";
import { eightPlane } from "../../../hwc/planes/models.ts";
import type { Plane, PlaneModel } from "../../../hwc/planes/plane.ts";
import { clientOnly } from "../../../hwc/planes/strategy.ts";
import type { ReferenceComposerOptions } from "../../../hwc/core/options.ts";
import type { ReferenceComposer } from "../../../hwc/core/controls.ts";
import { COMPOSITION, ERROR, FORMAT } from "../../../hwc/types.ts";
import { NativeFence } from "../../../wsi/fence/native_fence.ts";
import { exportInts, importBuffer } from "../../../wsi/buffer/gralloc.ts";
import type { GraphicBuffer } from "../../../wsi/buffer/graphic_buffer.ts";
import { MODIFIER, modifierName } from "../../../wsi/buffer/modifier.ts";
import { HANDLE_INTS } from "../../../wsi/buffer/native_handle.ts";
import type { Verdict } from "../../../loader/requirements/verdict.ts";
import { type Lies, verdictsOf } from "./subject.ts";

interface Mutation {
  readonly becomes: string;
  readonly options?: ReferenceComposerOptions;
  readonly lies?: (composer: ReferenceComposer) => Lies;
}

/** A large controller whose planes are changed. */
function withPlanes(change: (plane: Plane) => Partial<Plane>, most = 9): ReferenceComposerOptions {
  const model: PlaneModel = eightPlane(), planes = model.planes.slice(0, most);
  return { planes: { ...model, planes: planes.map((plane) => ({ ...plane, ...change(plane) })) } };
}

function without(format: number): ReferenceComposerOptions {
  return withPlanes(({ formats }) => ({ formats: formats.filter((each) => each !== format) }));
}

function refuse(code: number): never {
  throw new HwcError("mutation", code, "it is broken");
}

const TO_CLIENT: ReferenceComposerOptions = { strategy: clientOnly() };
type Format = keyof typeof FORMAT;
const ASKED: readonly Format[] = ["RGBA_8888", "RGBX_8888", "BGRA_8888", "YV12", "YCBCR_420_888"];
const MORE: readonly Format[] = ["RGB_565", "RGBA_1010102", "RGBA_FP16", "YCRCB_420_SP", "YCBCR_P010"];
const SCENES = ["home", "game", "video", "protected-video", "split-screen"];

/** The lies that break each rule. */
const MUTATIONS: Readonly<Record<string, Mutation>> = {
  "composer.functions.required": {
    becomes: "fail",
    lies: () => ({ getFunction: (next, descriptor) => descriptor === 43 ? undefined : next(descriptor) }),
  },
  "composer.handles.checked": { becomes: "fail", lies: () => ({ setLayerZOrder: () => {} }) },
  "composer.hotplug.at-once": {
    becomes: "fail",
    lies: () => ({
      registerCallback: (next, descriptor, callback) => {
        if (descriptor !== CALLBACK.HOTPLUG || !callback) next(descriptor, callback);
        else setTimeout(() => next(descriptor, callback));
      },
    }),
  },
  "composer.display.internal-first": {
    becomes: "fail",
    lies: () => ({ getDisplayConnectionType: () => CONNECTION_TYPE.EXTERNAL }),
  },
  "composer.display.configs": {
    becomes: "fail",
    lies: () => ({
      getDisplayAttribute: (next, display, config, attribute) =>
        attribute === 3 ? -1 : next(display, config, attribute),
    }),
  },
  "composer.display.color-modes": { becomes: "fail", lies: () => ({ getColorModes: () => [7] }) },
  "composer.display.power": {
    becomes: "fail",
    lies: () => ({
      setPowerMode: (next, display, mode) => mode === POWER_MODE.DOZE ? refuse(ERROR.UNSUPPORTED) : next(display, mode),
    }),
  },
  "composer.display.client-target": {
    becomes: "fail",
    lies: () => ({ getClientTargetSupport: () => refuse(ERROR.UNSUPPORTED) }),
  },
  "composer.layers.composed": { becomes: "fail", options: TO_CLIENT },
  "composer.layers.any-number": {
    becomes: "fail",
    lies: () => ({
      getChangedCompositionTypes: (next, display) =>
        next(display).map((change) => ({ ...change, type: COMPOSITION.SOLID_COLOR })),
    }),
  },
  "composer.overlays.four": { becomes: "fail", options: withPlanes(() => ({}), 4 - 1) },
  "composer.layers.larger": {
    becomes: "fail",
    lies: () => ({
      setLayerSourceCrop: (next, display, layer, crop) => next(display, layer, { ...crop, left: 0, top: 0 }),
    }),
  },
  "composer.blend.both-alphas": { becomes: "fail", lies: () => ({ setLayerPlaneAlpha: () => {} }) },
  "composer.protected.path": { becomes: "fail", options: withPlanes(() => ({ protected: false })) },
  "composer.protected.unread": { becomes: "fail", lies: leaking },
  ...each(ASKED, (name) => [`composer.format.${name}`, { becomes: "fail", options: without(FORMAT[name]) }]),
  ...each(MORE, (name) => [`composer.format.${name}`, { becomes: "report", options: without(FORMAT[name]) }]),
  "composer.format.stride": {
    becomes: "fail",
    lies: () => ({
      setLayerSourceCrop: (next, display, layer, crop) =>
        crop.right % 2 === 1 ? refuse(ERROR.BAD_PARAMETER) : next(display, layer, crop),
    }),
  },
  "composer.format.tiles": { becomes: "fail", lies: tilesAsRows },
  ...each(SCENES, (name) => [`composer.scene.${name}`, { becomes: "report", options: TO_CLIENT }]),
  "composer.vsync": {
    becomes: "fail",
    lies: () => ({
      setVsyncEnabled: (next, display, enabled) => enabled === VSYNC.DISABLE ? undefined : next(display, enabled),
    }),
  },
  "composer.frame.validated-first": {
    becomes: "fail",
    lies: (composer) => ({
      presentDisplay(next, display) {
        composer.validateDisplay(display);
        composer.acceptDisplayChanges(display);
        return next(display);
      },
    }),
  },
  "composer.frame.client-target": { becomes: "fail", lies: () => ({ setClientTarget: () => {} }) },
  "composer.frame.repeated": { becomes: "fail", lies: onceOnly },
  "composer.frame.order": { becomes: "fail", lies: sharedPlan },
  "composer.virtual.made": { becomes: "fail", lies: () => ({ getMaxVirtualDisplayCount: () => 5 }) },
  "composer.virtual.output": { becomes: "fail", lies: () => ({ setOutputBuffer: () => {} }) },
  "composer.fence.acquire": {
    becomes: "fail",
    lies: () => ({
      setLayerBuffer(next, display, layer, buffer, fence) {
        fence?.close();
        next(display, layer, buffer, null);
      },
    }),
  },
  "composer.fence.release": { becomes: "fail", lies: neverReleasing },
};

/** Formats, and the bytes of a pixel that a composer takes for each other. */
const SWIZZLED: readonly (readonly [Format, readonly [number, number]])[] = [
  ["RGBA_8888", [0, 2]],
  ["RGBX_8888", [0, 1]],
  ["BGRA_8888", [0, 2]],
  ["BGRA_8888", [1, 2]],
];

for (const [name, [one, other]] of SWIZZLED) {
  Deno.test(`a composer that takes bytes ${one} and ${other} of ${name} for each other fails composer.format.${name}`, async () => {
    const seen = new Set<GraphicBuffer>();
    const verdicts = await verdictsOf({ planes: eightPlane() }, () => ({
      setLayerBuffer(next, display, layer, buffer, fence) {
        if (buffer?.format === FORMAT[name] && !seen.has(buffer)) swapBytes(buffer, one, other);
        if (buffer) seen.add(buffer);
        next(display, layer, buffer, fence);
      },
    }));
    assertEquals(verdicts.get(`composer.format.${name}`)?.status, "fail");
  });
}

function swapBytes(buffer: GraphicBuffer, one: number, other: number): void {
  const bytes = buffer.lock();
  for (let at = 0; at + 3 < bytes.length; at += 4) {
    [bytes[at + one], bytes[at + other]] = [bytes[at + other], bytes[at + one]];
  }
  buffer.unlock();
}

function each<Name extends string>(
  names: readonly Name[],
  make: (name: Name) => [string, Mutation],
): Record<string, Mutation> {
  return Object.fromEntries(names.map(make));
}

/** Lies of a composer whose read-back is the contents of the protected buffer. */
function leaking(): Lies {
  let into: GraphicBuffer | undefined;
  return {
    setReadbackBuffer(next, display, buffer, fence) {
      into = buffer ?? undefined;
      next(display, buffer, fence);
    },
    getReadbackBufferFence(next, display) {
      const fence = next(display);
      fence.close();
      into?.lock().fill(128);
      into?.unlock();
      return NativeFence.signaled();
    },
  };
}

/** Lies of a composer that does not read a buffer's modifier: its tiles are rows. */
function tilesAsRows(): Lies {
  return {
    setLayerBuffer(next, display, layer, buffer, fence) {
      if (!buffer || buffer.modifier === MODIFIER.LINEAR) return next(display, layer, buffer, fence);
      using rows = importBuffer(buffer.memory.fd, exportInts(buffer).slice(0, HANDLE_INTS));
      next(display, layer, rows, fence);
    },
  };
}

for (const modifier of [MODIFIER.I915_X_TILED, MODIFIER.I915_Y_TILED]) {
  const modifiers = { [FORMAT.RGBA_8888]: [MODIFIER.LINEAR, modifier] }, words = modifierName(modifier);
  Deno.test(`composer.format.tiles passes if planes show ${words} as rows, and fails if they take them for rows`, async () => {
    const options = withPlanes(() => ({ modifiers })), rule = "composer.format.tiles";
    const right = (await verdictsOf(options)).get(rule);
    assertEquals(right?.status, "pass");
    assertStringIncludes(right!.found, `${words} are shown without the GPU, as rows are`);
    const lies = (): Lies => ({
      setLayerBuffer: (next, display, layer, buffer, fence) =>
        buffer?.modifier === modifier
          ? tilesAsRows().setLayerBuffer!(next, display, layer, buffer, fence)
          : next(display, layer, buffer, fence),
    });
    const wrong = (await verdictsOf(options, lies)).get(rule);
    assertEquals(wrong?.status, "fail", wrong?.found);
  });
}

/** A layer takes one buffer in its life. */
function onceOnly(): Lies {
  const filled = new Set<bigint>();
  return {
    setLayerBuffer(next, display, layer, buffer, fence) {
      if (filled.has(layer)) refuse(ERROR.NO_RESOURCES);
      filled.add(layer);
      next(display, layer, buffer, fence);
    },
  };
}

/** Lies of a composer that forgets what was decided for one display when another one is validated. */
function sharedPlan(): Lies {
  let last = 0n;
  return {
    validateDisplay: (next, display) => next(last = display),
    presentDisplay: (next, display) => display === last ? next(display) : refuse(ERROR.NOT_VALIDATED),
  };
}

function neverReleasing(): Lies {
  return {
    getReleaseFences: (next, display) =>
      next(display).map(({ layer, fence }) => {
        fence.close();
        return { layer, fence: NativeFence.create().fence };
      }),
  };
}

let honest: Map<string, Verdict> | undefined;

for (const [rule, { becomes, options, lies }] of Object.entries(MUTATIONS)) {
  Deno.test(`${rule} is another verdict when the composer lies about it`, async () => {
    honest ??= await verdictsOf();
    assertEquals(honest.get(rule)?.status, "pass");
    const after = (await verdictsOf(options, lies)).get(rule);
    assertEquals(after?.status, becomes, after?.found);
    assert(after?.advice !== "");
  });
}

Deno.test("every rule of the composer is broken by a lie", async () => {
  honest ??= await verdictsOf();
  assertEquals([...honest.keys()].sort(), Object.keys(MUTATIONS).sort());
});
