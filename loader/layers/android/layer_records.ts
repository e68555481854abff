import { arena, inFrame } from "../../../ffi/arena.ts";
import { readCString } from "../../../ffi/cstring.ts";
import { DriverError } from "../../error.ts";
import { offsetsOfVkLayerProperties, sizeOfVkLayerProperties, VK_MAX_DESCRIPTION_SIZE } from "../../gen/native_gen.ts";

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
  /** Its layerName. */
  readonly name: string;
  /** Its specVersion. */
  readonly specVersion: number;
  /** Its implementationVersion. */
  readonly implementationVersion: number;
  /** Its description. */
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
