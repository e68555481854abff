import { arena, inFrame } from "../../../ffi/arena.ts";
import { cstring, readCString } from "../../../ffi/cstring.ts";
import type { OpenLibrary } from "../../../ffi/library/library.ts";
import { invokeAddress } from "../../../ffi/machine.ts";
import { readExtensionList } from "../../driver/interface/extension_list.ts";
import { DriverError } from "../../error.ts";
import { offsetsOfVkLayerProperties, sizeOfVkLayerProperties, VK_MAX_DESCRIPTION_SIZE } from "../../gen/native_gen.ts";
import type { LayerExtension } from "../../layer.ts";
import { exportedEntryPoints } from "../choice/library.ts";

/** A layer as its library declares it. */
export interface DeclaredLayer {
  /** The layer's properties. */
  readonly record: LayerRecord;
  /** Whether the layer takes part in devices. */
  readonly onDevices: boolean;
  /** A remark about an oddity of `onDevices`; `""` if there is none. */
  readonly remark: string;
  /** The instance extensions that the layer provides. */
  readonly instanceExtensions: readonly LayerExtension[];
  /** The device extensions that the layer provides. */
  readonly deviceExtensions: readonly LayerExtension[];
}

/** The commands by which a library declares its layers: two are required, and a pair for devices. */
const INSTANCE = { layers: "vkEnumerateInstanceLayerProperties", extensions: "vkEnumerateInstanceExtensionProperties" };
const DEVICE = { layers: "vkEnumerateDeviceLayerProperties", extensions: "vkEnumerateDeviceExtensionProperties" };

/**
 * Asks an opened library for its layers, as Android does. Throws a
 * {@linkcode DriverError} if the library has no layers. `strict`: a layer takes
 * part in devices only if the library says so.
 */
export function queryLibrary(path: string, library: OpenLibrary, strict: boolean): DeclaredLayer[] {
  const address = library.find(INSTANCE.layers), extensions = library.find(INSTANCE.extensions);
  const missing = [address === 0n ? INSTANCE.layers : "", extensions === 0n ? INSTANCE.extensions : ""].filter(Boolean);
  if (missing.length > 0) throw refusal(path, `it does not export ${missing.join(" and ")}`);
  const declared = readLayerRecords(path, INSTANCE.layers, (...out) => invokeAddress(address, "s:qq", out) as number);
  if (declared.length === 0) throw refusal(path, "it declares no layer");
  const part = devicePart(path, library, strict);
  return declared.map((record) => {
    const { onDevices, remark } = part(record);
    const instanceExtensions = extensionsOf(path, INSTANCE.extensions, extensions, record);
    const enumerate = onDevices ? library.find(DEVICE.extensions) : 0n;
    const deviceExtensions = enumerate === 0n ? [] : extensionsOf(path, DEVICE.extensions, enumerate, record, 0n);
    return { record, onDevices, remark, instanceExtensions, deviceExtensions };
  });
}

/**
 * Finds the layers that take part in devices: those with the same bytes in the
 * device list. Layers made for other systems have no such list any more. Unless
 * `strict`, they only need device commands.
 */
function devicePart(path: string, library: OpenLibrary, strict: boolean) {
  const address = library.find(DEVICE.layers);
  if (address === 0n) {
    return ({ name }: LayerRecord) => {
      const onDevices = !strict && exportedEntryPoints(library, name).getDeviceProcAddr !== 0n;
      return { onDevices, remark: onDevices ? `, though it has no ${DEVICE.layers}` : `, having no ${DEVICE.layers}` };
    };
  }
  const listed = readLayerRecords(
    path,
    DEVICE.layers,
    (...out) => invokeAddress(address, "s:qqq", [0n, ...out]) as number,
  );
  return (record: LayerRecord) => {
    if (listed.some((each) => isSameRecord(each, record))) return { onDevices: true, remark: "" };
    const differs = listed.some(({ name }) => name === record.name);
    return { onDevices: false, remark: differs ? ", its properties there being others" : "" };
  };
}

function extensionsOf(path: string, command: string, address: bigint, { name }: LayerRecord, ...before: bigint[]) {
  return inFrame((memory) => {
    const signature = `s:${"q".repeat(before.length + 3)}`;
    const args = [...before, memory.place(cstring(name))];
    const list = readExtensionList((...out) => invokeAddress(address, signature, [...args, ...out]) as number);
    if (typeof list === "number") throw refusal(path, `its ${command} for ${name} returned ${list}`);
    return list;
  });
}

/** The name comes first. */
const RECORD = offsetsOfVkLayerProperties, RECORD_SIZE = sizeOfVkLayerProperties;
/** Bytes of the name and of the description, each with its NUL. */
const MOST_BYTES = VK_MAX_DESCRIPTION_SIZE;
/** No library has more layers. A larger count means that the count was never written. */
const MOST_LAYERS = 256;

/** A VkLayerProperties from a library. */
export interface LayerRecord {
  /** All of its bytes. */
  readonly bytes: Uint8Array;
  /** The layer's layerName. */
  readonly name: string;
  /** The layer's specVersion. */
  readonly specVersion: number;
  /** The layer's implementationVersion. */
  readonly implementationVersion: number;
  /** The layer's description. */
  readonly description: string;
}

/**
 * Calls a library's command that counts layers first and then fills a list.
 * Throws a {@linkcode DriverError} if the command returns anything but
 * VK_SUCCESS.
 */
export function readLayerRecords(
  path: string,
  command: string,
  ask: (count: bigint, out: bigint) => number,
): LayerRecord[] {
  const asked = (...args: [bigint, bigint]) => {
    const result = ask(...args);
    if (result !== 0) throw refusal(path, `its ${command} returned ${result}`);
  };
  return inFrame((memory) => {
    const { view, bytes } = memory, count = memory.alloc(4), at = memory.address(count);
    view.setUint32(count, 0, true);
    asked(at, 0n);
    const room = view.getUint32(count, true);
    if (room > MOST_LAYERS) throw refusal(path, `its ${command} counts ${room} layers, more than can be`);
    const list = memory.alloc(RECORD_SIZE * room + 8);
    bytes.fill(0, list, list + RECORD_SIZE * room);
    if (room > 0) asked(at, memory.address(list));
    const filled = Math.min(room, view.getUint32(count, true));
    return Array.from({ length: filled }, (_, index) => recordAt(list + RECORD_SIZE * index));
  });
}

/** Whether all bytes of two records are equal, including those behind the ends of the texts. */
export function isSameRecord(one: LayerRecord, other: LayerRecord): boolean {
  return one.bytes.every((byte, index) => byte === other.bytes[index]);
}

function recordAt(at: number): LayerRecord {
  const memory = arena(), { view } = memory, text = (from: number) => readCString(memory.address(from), MOST_BYTES);
  return {
    bytes: memory.bytes.slice(at, at + RECORD_SIZE),
    name: text(at),
    specVersion: view.getUint32(at + RECORD.specVersion, true),
    implementationVersion: view.getUint32(at + RECORD.implementationVersion, true),
    description: text(at + RECORD.description),
  };
}

/** Makes the error that a library cannot be used, and why. */
export function refusal(path: string, what: string): DriverError {
  return new DriverError(
    "unusable",
    path,
    `Cannot use "${path}" as a layer library: ${what}; build it for Android's loader`,
  );
}
