/**
 * Arguments that do not fit the methods of a composer are refused by the
 * same error of every composer: by the one of this process, behind
 * hwcomposer2.h, and in another process.
 *
 * @module
 */
import { assertEquals, assertRejects, assertThrows } from "@std/assert";
import type { AsyncComposer, Composer } from "../../hwc/composer.ts";
import { CALLBACK } from "../../hwc/device_types.ts";
import { exportHwc2 } from "../../hwc/hwc2/export.ts";
import { openHwc2 } from "../../hwc/hwc2/open.ts";
import { HwcError } from "../../hwc/hwc_error.ts";
import { COUNT, ID, INT, list } from "../../hwc/remote/wire/codec.ts";
import { Writer } from "../../hwc/remote/wire/writer.ts";
import { ERROR } from "../../hwc/types.ts";
import { roundTripSubject } from "./hwc2/round_trip.ts";
import { FarServer } from "./remote/far_server.ts";
import { remoteFactory } from "./remote/remote_subject.ts";
import { directSubject } from "./suite/direct_subject.ts";
import type { Factory } from "./suite/stage.ts";

type Methods = Record<string, (...args: unknown[]) => unknown>;

const U32 = "integer from 0 to 4294967295", I32 = "integer from -2147483648 to 2147483647";
const U8 = "integer from 0 to 255";
const RECT = { left: 0, top: 0, right: 4, bottom: 4 }, COLOR = { r: 1, g: 1, b: 1, a: 1 };
const HOLE: unknown[] = [RECT, RECT];
delete HOLE[0];

/** A method, what stands behind display and layer (or instead of them), and the sentence behind the method's name. */
const ROWS: readonly (readonly [string, readonly unknown[], string])[] = [
  ["setLayerZOrder", ["D", "L", 2 ** 32 + 3], `z: expected ${U32}, found number 4294967299`],
  ["setLayerZOrder", ["D", "L", 1.9], `z: expected ${U32}, found number 1.9`],
  ["setLayerZOrder", ["D", "L", NaN], `z: expected ${U32}, found number NaN`],
  ["setLayerZOrder", ["D", "L"], "z: is required, found nothing"],
  ["setLayerZOrder", ["D", "L", 3n], `z: expected ${U32}, found bigint 3n (write 3)`],
  [
    "setLayerZOrder",
    ["D", 2n ** 64n + 1n, 3],
    "layer: expected bigint, found bigint 18446744073709551617n (64 bits hold 0 to 2^64 - 1)",
  ],
  [
    "getDisplayName",
    [2n ** 64n + 1n],
    "display: expected bigint, found bigint 18446744073709551617n (64 bits hold 0 to 2^64 - 1)",
  ],
  ["getDisplayName", [1], "display: expected bigint, found number 1 (write 1n)"],
  ["setPowerMode", ["D", 2 ** 32 + 2], `mode: expected ${I32}, found number 4294967298`],
  ["setVsyncEnabled", ["D", "1"], `enabled: expected ${I32}, found string "1"`],
  ["setLayerDataspace", ["D", "L", 2 ** 31], `dataspace: expected ${I32}, found number 2147483648`],
  ["setLayerTransform", ["D", "L", 0.5], `transform: expected ${I32}, found number 0.5`],
  ["setLayerBlendMode", ["D", "L", NaN], `mode: expected ${I32}, found number NaN`],
  ["setCursorPosition", ["D", "L", 2 ** 32, 0], `x: expected ${I32}, found number 4294967296`],
  ["setLayerColor", ["D", "L", { ...COLOR, g: 256 }], `color.g: expected ${U8}, found number 256`],
  ["setLayerColor", ["D", "L", { ...COLOR, b: 0.5 }], `color.b: expected ${U8}, found number 0.5`],
  ["setLayerColor", ["D", "L", null], "color: expected object, found null"],
  [
    "setLayerDisplayFrame",
    ["D", "L", { ...RECT, right: 2 ** 32 + 4 }],
    `frame.right: expected ${I32}, found number 4294967300`,
  ],
  ["setLayerDisplayFrame", ["D", "L", { left: 0, top: 0, right: 4 }], "frame.bottom: is required, found nothing"],
  ["setLayerSourceCrop", ["D", "L", { ...RECT, top: NaN }], "crop.top: expected finite number, found number NaN"],
  ["setLayerVisibleRegion", ["D", "L", HOLE], "visible[0]: expected an element, found undefined"],
  ["setLayerVisibleRegion", ["D", "L", [{ ...RECT, top: 1.9 }]], `visible[0].top: expected ${I32}, found number 1.9`],
  ["setLayerSurfaceDamage", ["D", "L", undefined], "damage: expected array, found undefined"],
  ["setLayerVisibleRegion", ["D", "L", [RECT, null]], "visible[1]: expected object, found null"],
  [
    "setClientTarget",
    ["D", null, null, 0, [{ ...RECT, left: NaN }]],
    `damage[0].left: expected ${I32}, found number NaN`,
  ],
  ["setClientTarget", ["D", 5, null, 0, []], "target: expected a GraphicBuffer or null, found number 5"],
  ["setLayerBuffer", ["D", "L", null, 3], "acquireFence: expected a NativeFence or null, found number 3"],
  ["setLayerFloatColor", ["D", "L", { ...COLOR, a: NaN }], "color.a: expected finite number, found number NaN"],
  ["setColorTransform", ["D", [1, undefined], 0], "matrix[1]: expected an element, found undefined"],
  [
    "setLayerPerFrameMetadata",
    ["D", "L", [{ key: 2 ** 32, value: 1 }]],
    `metadata[0].key: expected ${I32}, found number 4294967296`,
  ],
  ["setDisplayedContentSamplingEnabled", ["D", 1, 256, 0n], `componentMask: expected ${U8}, found number 256`],
  [
    "setDisplayedContentSamplingEnabled",
    ["D", 1, 1, 2n ** 64n],
    "maxFrames: expected bigint, found bigint 18446744073709551616n (64 bits hold 0 to 2^64 - 1)",
  ],
  [
    "setActiveConfigWithConstraints",
    ["D", 1, { desiredTimeNanos: 2n ** 63n, seamlessRequired: false }],
    "constraints.desiredTimeNanos: expected bigint, found bigint 9223372036854775808n (64 bits hold -2^63 to 2^63 - 1)",
  ],
  ["createVirtualDisplay", [2 ** 32 + 4, 4, 1], `width: expected ${U32}, found number 4294967300`],
  ["getLayerGenericMetadataKey", [2 ** 32], `index: expected ${U32}, found number 4294967296`],
  ["registerCallback", [CALLBACK.VSYNC, 5], "callback: expected function or null, found number 5"],
];

async function refusals(factory: Factory): Promise<string[]> {
  const subject = await factory({ panels: [{}] });
  try {
    const methods = subject.composer as unknown as Methods, display = await firstDisplay(subject.composer);
    const layer = await methods.createLayer(display), found: string[] = [];
    for (const [name, args] of ROWS) {
      const given = args.map((arg) => arg === "D" ? display : arg === "L" ? layer : arg);
      found.push(await thrownBy(() => methods[name](...given)));
    }
    return found;
  } finally {
    await subject.close();
  }
}

async function firstDisplay(composer: AsyncComposer): Promise<bigint> {
  const found = Promise.withResolvers<bigint>();
  await composer.registerCallback(CALLBACK.HOTPLUG, found.resolve);
  return await found.promise;
}

async function thrownBy(call: () => unknown): Promise<string> {
  try {
    return `answered ${await call()}`;
  } catch (error) {
    return error instanceof TypeError ? error.message : `${error}`;
  }
}

const server = new FarServer();
globalThis.addEventListener("unload", () => void server.close());

const FACTORIES: Record<string, Factory> = {
  "of this process": directSubject,
  "behind hwcomposer2.h": roundTripSubject,
  "of another process": remoteFactory(server),
};

for (const [name, factory] of Object.entries(FACTORIES)) {
  Deno.test(`a composer ${name} refuses numbers that do not fit, and what is left out, by name`, async () => {
    assertEquals(await refusals(factory), ROWS.map(([method, , sentence]) => `${method} ${sentence}`));
  });
}

Deno.test("what a composer answers and does not fit is its failure, not another number", async () => {
  const { composer, close } = directSubject({ panels: [{}] });
  const wrong = { ...composer as Composer, getActiveConfig: () => 2 ** 32 + 3, getDisplayConfigs: () => [1, 2.5] };
  const exported = exportHwc2(wrong), opened = openHwc2(exported.module), display = await firstDisplay(opened);
  for (const ask of [() => opened.getActiveConfig(display), () => opened.getDisplayConfigs(display)]) {
    assertEquals((await assertRejects(async () => await ask(), HwcError)).code, ERROR.NO_RESOURCES);
  }
  await opened.close();
  exported.close();
  await close();
  assertThrows(() => COUNT.write(new Writer(), 2 ** 32 + 3), TypeError, "found number 4294967299");
  assertThrows(() => list(INT).write(new Writer(), [1, undefined as unknown as number]), TypeError, "found nothing");
  assertThrows(() => ID.write(new Writer(), 2n ** 64n), TypeError, "64 bits hold 0 to 2^64 - 1");
});
