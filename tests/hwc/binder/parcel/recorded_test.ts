/**
 * Parcels byte by byte: recorded.json has examples that were made from sentences about the formats, and not by the
 * code under test. Each is written and compared, and read again.
 *
 * @module
 */
import { assertEquals } from "@std/assert";
import { hexOf } from "../../../../ffi/arena.ts";
import type { BinderItem, LocalObject, Message } from "../../../../hwc/binder/bus.ts";
import type { DisplaySettings, LayerSettings } from "../../../../hwc/binder/connected/command_queue.ts";
import * as composer3 from "../../../../hwc/binder/gen/composer3_gen.ts";
import * as hidlComposer from "../../../../hwc/binder/gen/composer_hidl_gen.ts";
import { encodeCommands } from "../../../../hwc/binder/hidl/encode_commands.ts";
import { encodeResults } from "../../../../hwc/binder/hidl/results.ts";
import { AidlReader, AidlWriter } from "../../../../hwc/binder/parcel/aidl/dialect.ts";
import { AidlException, EXCEPTION, writeException } from "../../../../hwc/binder/parcel/aidl/exception.ts";
import * as aidl from "../../../../hwc/binder/parcel/aidl/types.ts";
import { HidlReader, HidlWriter } from "../../../../hwc/binder/parcel/hidl/parcel.ts";
import * as hidl from "../../../../hwc/binder/parcel/hidl/types.ts";
import recorded from "./recorded.json" with { type: "json" };

const object: LocalObject = { transact: () => ({ bytes: new Uint8Array(), items: [] }) };
const CLIENT = composer3.IComposerClient.descriptor, CALLBACK = composer3.IComposerCallback.descriptor;
const NO_BUFFER = { slot: 0 }, SRGB = 0x881_0000, FD = 99;

/** A type and a value of it. */
// deno-lint-ignore no-explicit-any
type Typed = readonly [aidl.AidlType<any>, unknown];

const AIDL_VALUES: Readonly<Record<string, readonly Typed[]>> = {
  "boolean true": [[aidl.BOOL, true]],
  "boolean false": [[aidl.BOOL, false]],
  "byte alone": [[aidl.BYTE, -2]],
  "int": [[aidl.INT, -123456]],
  "long at four": [[aidl.INT, 7], [aidl.LONG, -2n]],
  "float": [[aidl.FLOAT, 1.5]],
  "string of two": [[aidl.STRING, "ab"]],
  "string of three": [[aidl.STRING, "aäz"]],
  "string empty": [[aidl.STRING, ""]],
  "string null": [[aidl.nullableArray(aidl.STRING), null]],
  "bytes": [[aidl.BYTES, new Uint8Array([1, 2, 3, 4, 5])]],
  "ints": [[aidl.array(aidl.INT), [1, -1, 7]]],
  "longs": [[aidl.array(aidl.LONG), [1n, -1n]]],
  "floats": [[aidl.array(aidl.FLOAT), [0.25, -4]]],
  "array null": [[aidl.nullableArray(aidl.array(aidl.INT)), null]],
  "array empty": [[aidl.array(composer3.Rect), []]],
  "parcelable": [[composer3.Rect, { left: 1, top: 2, right: 3, bottom: 4 }]],
  "parcelable absent": [[aidl.nullable(composer3.Rect), null]],
  "parcelables": [[aidl.array(composer3.Point), [{ x: 1, y: 2 }, { x: 3, y: 4 }]]],
  "descriptor": [[aidl.FD, FD]],
  "descriptor absent": [[aidl.nullable(aidl.FD), null]],
  "native handle": [[composer3.NativeHandle, { fds: [FD], ints: [10, -1] }]],
  "buffer in a slot": [[composer3.Buffer, { slot: 5, handle: null, fence: null }]],
  "buffer with both": [[composer3.Buffer, { slot: 1, handle: { fds: [FD], ints: [9] }, fence: FD }]],
  "byte enum in arrays": [[composer3.LutProperties, { dimension: 3, size: 33, samplingKeys: [0, 1, 2] }]],
  "identification in 3": [[composer3.DisplayIdentification, {
    port: 4,
    data: new Uint8Array([7, 8]),
    screenPartStatus: 0,
  }]],
  "identification in 4": [[composer3.DisplayIdentification, {
    port: 4,
    data: new Uint8Array([7, 8]),
    screenPartStatus: 1,
  }]],
  "target in 2": [[composer3.ClientTarget, target()]],
  "target in 3": [[composer3.ClientTarget, target()]],
  "debug data in 2": [[composer3.RefreshRateChangedDebugData, debugData(0)]],
  "debug data in 3": [[composer3.RefreshRateChangedDebugData, debugData(8333333)]],
  "configuration in 3": [[composer3.DisplayConfiguration, configuration({ x: 420, y: 421 }, 0)]],
  "configuration in 4": [[composer3.DisplayConfiguration, configuration(null, 3)]],
  "union first": [[composer3.HdrConversionStrategy, { tag: "passthrough", value: true }]],
  "union of an array": [[composer3.HdrConversionStrategy, { tag: "autoAllowedHdrTypes", value: [2, 3] }]],
  "union last": [[composer3.HdrConversionStrategy, { tag: "forceHdrConversion", value: 4 }]],
  "error result": [[composer3.CommandResultPayload, { tag: "error", value: { commandIndex: 3, errorCode: 4 } }]],
  "result of a byte enum": [[composer3.CommandResultPayload, {
    tag: "presentOrValidateResult",
    value: { display: 2n, result: 1 },
  }]],
  "present fence": [[composer3.CommandResultPayload, fenceResult()]],
  "present fence in 4": [[composer3.CommandResultPayload, fenceResult()]],
  "answer": [[aidl.INT, EXCEPTION.NONE], [aidl.INT, 3]],
  "layer command in 1": [[composer3.LayerCommand, { layer: 5n, z: { z: 7 } }]],
  "layer command in 3": [[composer3.LayerCommand, { layer: 5n, z: { z: 7 } }]],
};

function target() {
  return { buffer: NO_BUFFER, dataspace: SRGB, damage: [], hdrSdrRatio: 1 };
}

function debugData(refreshPeriodNanos: number) {
  return { display: 9n, vsyncPeriodNanos: 16666666, refreshPeriodNanos };
}

function configuration(dpi: unknown, hdrOutputType: number) {
  const known = { configId: 1, width: 1080, height: 2400, configGroup: 2, vsyncPeriod: 11111111, vrrConfig: null };
  return { ...known, dpi, hdrOutputType };
}

function fenceResult() {
  return { tag: "presentFence", value: { display: 2n, fence: FD, layerPresentFences: null } };
}

/** Whole calls and what is no value of a type. */
const AIDL_WRITES: Readonly<Record<string, (to: AidlWriter) => void>> = {
  "token in 10": (to) => to.token(CLIENT),
  "token in 11": (to) => to.token(CLIENT),
  "token in 16": (to) => to.token(CLIENT),
  "object in 10": (to) => aidl.BINDER.write(to, { local: object }),
  "object in 11": (to) => aidl.BINDER.write(to, { local: object }),
  "object in 12": (to) => aidl.BINDER.write(to, { local: object }),
  "object in 13": (to) => aidl.BINDER.write(to, { local: object }),
  "object null": (to) => aidl.BINDER.write(to, null),
  "answer that failed": (to) => writeException(to, new AidlException(EXCEPTION.SERVICE_SPECIFIC, "no", 2)),
  "answer with an argument that is wrong": (to) =>
    writeException(to, new AidlException(EXCEPTION.ILLEGAL_ARGUMENT, "no")),
  "call of createLayer": (to) => writeCall(to, CLIENT, composer3.IComposerClient.methods.createLayer, [2n, 64]),
  "call of onVsync": (to) =>
    writeCall(to, CALLBACK, composer3.IComposerCallback.methods.onVsync, [2n, 1000000007n, 16666666]),
  "call of executeCommands": (to) =>
    writeCall(to, CLIENT, composer3.IComposerClient.methods.executeCommands, [[settings({ validateDisplay: true })]]),
};

function writeCall(to: AidlWriter, descriptor: string, method: aidl.AidlMethod, args: readonly unknown[]): void {
  to.token(descriptor);
  method.args.forEach((type, index) => type.write(to, args[index]));
}

function settings(more: Partial<DisplaySettings>): DisplaySettings {
  const steps = {
    validateDisplay: false,
    acceptDisplayChanges: false,
    presentDisplay: false,
    presentOrValidateDisplay: false,
  };
  return { display: 2n, layers: [], ...steps, ...more };
}

// deno-lint-ignore no-explicit-any
const HIDL_VALUES: Readonly<Record<string, readonly (readonly [hidl.HidlType<any>, unknown])[]>> = {
  "hidl bool and byte": [[hidl.BOOL, true], [hidl.U8, 254]],
  "hidl long": [[hidl.S32, 1], [hidl.S64, -2n]],
  "hidl string": [[hidl.STRING, "ok"]],
  "hidl vector": [[hidl.vec(hidl.S32), [1, 2, -1]]],
  "hidl vector empty": [[hidl.vec(hidl.U32), []]],
  "hidl handle null": [[hidl.HANDLE, null]],
  "hidl handle": [[hidl.HANDLE, { fds: [FD], ints: [10, -1] }]],
  "hidl vector of handles": [[hidl.vec(hidl.HANDLE), [null, { fds: [FD], ints: [7] }]]],
  "hidl queue": [[hidl.QUEUE, {
    grantors: [[0, 8n], [8, 8n], [16, 64n]].map(([offset, extent]) => ({ flags: 0, fdIndex: 0, offset, extent })),
    handle: { fds: [FD], ints: [] },
    quantum: 4,
    flags: 1,
  }]],
  "hidl constraints": [[hidlComposer.VsyncPeriodChangeConstraints, { desiredTimeNanos: 123n, seamlessRequired: true }]],
  "hidl matrix": [[hidl.MATRIX, Array.from({ length: 16 }, (_, index) => index)]],
  "hidl strings in structs": [[hidl.vec(hidlComposer.LayerGenericMetadataKey), [{ key: "a.b", mandatory: true }]]],
  "hidl object null": [[hidl.INTERFACE, null]],
  "hidl answer": [[hidl.S32, 0], [hidl.S32, 0], [hidl.U64, 5n]],
};

function layerWords(layer: Partial<LayerSettings>, version = "2.4"): Uint32Array {
  return encodeCommands([settings({ layers: [{ layer: 9n, ...layer }] })], version).writer.take();
}

const RED = { r: 1, g: 0, b: 0, a: 1 };

const WORDS: Readonly<Record<string, () => Uint32Array>> = {
  "words validate": () =>
    encodeCommands([settings({ display: 0x1_dead_beefn, validateDisplay: true })], "2.4").writer.take(),
  "words layer": () => layerWords({ z: { z: 7 } }),
  "words crop": () => layerWords({ sourceCrop: { left: 0, top: 0, right: 64, bottom: 48.5 } }),
  "words color in 2.1": () => layerWords({ color: RED }, "2.1"),
  "words color in 2.4": () => layerWords({ color: RED }),
  "words cached target": () => {
    const damage = [{ left: 0, top: 0, right: 10, bottom: 20 }];
    const clientTarget = { buffer: { slot: 3, handle: null, fence: null }, dataspace: SRGB, damage };
    return encodeCommands([settings({ clientTarget })], "2.4").writer.take();
  },
  "words metadata": () =>
    layerWords({ genericMetadata: { key: "aab.c", mandatory: false, value: new Uint8Array([1, 2]) } }),
  "words error": () =>
    encodeResults([{ tag: "error", value: { commandIndex: 1, errorCode: 4 } }], [0, 3], "2.4").take(),
  "words changes": () => {
    const value = { display: 2n, layers: [{ layer: 9n, composition: 1 }] };
    return encodeResults([{ tag: "changedCompositionTypes", value }], [], "2.4").take();
  },
};

function written(name: string, release: number, version: number): Message {
  const words = WORDS[name]?.();
  if (words) return { bytes: new Uint8Array(words.buffer), items: [] };
  if (name.startsWith("hidl ")) {
    const to = new HidlWriter();
    if (name === "hidl token") to.token("android.hardware.graphics.composer@2.1::IComposerClient");
    else for (const [type, value] of HIDL_VALUES[name]) type.write(to, value);
    return to.message();
  }
  const to = new AidlWriter({ release, version });
  if (name in AIDL_WRITES) AIDL_WRITES[name](to);
  else for (const [type, value] of AIDL_VALUES[name]) type.write(to, value);
  return to.message();
}

function describe(item: BinderItem): (string | number)[] {
  const { at, kind } = item;
  if (item.kind === "fdArray") return [at, kind, item.fds.length, item.parent, item.parentOffset];
  if (item.kind !== "buffer") return [at, kind];
  return [at, kind, hexOf(item.bytes), ...item.parent === undefined ? [] : [item.parent, item.parentOffset!]];
}

for (const { name, sentence, hex, items, release = 16, version = 3 } of recorded) {
  Deno.test(`a parcel is as recorded: ${name} (${sentence})`, () => {
    const message = written(name, release, version);
    const found = hexOf(message.bytes).replace(/.{8}(?=.)/g, "$& ");
    assertEquals([found, message.items.map(describe)], [hex, items]);
    readAgain(name, message, { release, version });
  });
}

/** Values come back as they were, and nothing is left behind them. */
function readAgain(name: string, message: Message, dialect: { release: number; version: number }): void {
  const values = AIDL_VALUES[name], hidlValues = HIDL_VALUES[name];
  if (values) {
    const from = new AidlReader(message, dialect), read = values.map(([type]) => type.read(from));
    assertEquals(read.map(withoutNull), values.map(([, value]) => withoutNull(value)));
    assertEquals(from.left, 0);
  }
  if (hidlValues) {
    const from = new HidlReader(message), read = hidlValues.map(([type]) => type.read(from));
    assertEquals(read, hidlValues.map(([, value]) => value));
    assertEquals(from.left, 0);
  }
}

/** A member that is not there is null, and one of a newer version what it means when it is left out. */
function withoutNull(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutNull);
  if (typeof value !== "object" || value === null || value instanceof Uint8Array) return value;
  const left = Object.entries(value).filter(([name, one]) => one !== null && !NEWER.has(name));
  return Object.fromEntries(left.map(([name, one]) => [name, withoutNull(one)]));
}

const NEWER = new Set(["layerLifecycleBatchCommandType", "newBufferSlotCount", "pictureProfileId"]);

Deno.test("every recorded parcel is written by something, and no two have the same name", () => {
  const names = recorded.map(({ name }) => name), known = [AIDL_VALUES, AIDL_WRITES, HIDL_VALUES, WORDS];
  assertEquals(new Set(names).size, names.length);
  assertEquals(known.flatMap(Object.keys).filter((name) => !names.includes(name)), []);
});
