import { arena } from "../../ffi/arena.ts";
import { readCString } from "../../ffi/cstring.ts";
import { copyFromArena, peek32, poke32 } from "../../ffi/machine.ts";

const VK_INCOMPLETE = 5;
/** VkExtensionProperties: its size, its longest name with the NUL, and where the version is. */
const PROPERTIES = { size: 260, name: 256, specVersion: 256 };

/** An extension and its revision. */
export interface Extension {
  /** Its name. */
  readonly extensionName: string;
  /** Its revision. */
  readonly specVersion: number;
}

/**
 * Everything a command like vkEnumerateInstanceExtensionProperties lists;
 * `call` gets the addresses of count and array. Empty when it fails.
 */
export function readExtensions(call: (count: bigint, out: bigint) => number): Extension[] {
  const memory = arena(), mark = memory.mark();
  try {
    const count = memory.alloc(4);
    memory.view.setUint32(count, 0, true);
    if (call(memory.address(count), 0n) < 0) return [];
    const room = memory.view.getUint32(count, true), list = memory.alloc(PROPERTIES.size * room);
    if (room === 0 || call(memory.address(count), memory.address(list)) < 0) return [];
    const found = Math.min(room, memory.view.getUint32(count, true));
    return Array.from({ length: found }, (_, index) => readOne(memory.address(list + PROPERTIES.size * index)));
  } finally {
    memory.release(mark);
  }
}

/** Answers such a command with a list, count-then-fill as the specification has it. */
export function writeExtensions(extensions: readonly Extension[], count: bigint, out: bigint): number {
  if (out === 0n) {
    poke32(count, extensions.length);
    return 0;
  }
  const room = Math.min(peek32(count), extensions.length);
  extensions.slice(0, room).forEach((each, index) => writeOne(each, out + BigInt(PROPERTIES.size * index)));
  poke32(count, room);
  return room < extensions.length ? VK_INCOMPLETE : 0;
}

/** The extensions of several lists, each name once: the first to name it counts. */
export function mergeExtensions(lists: readonly (readonly Extension[])[]): Extension[] {
  const merged = new Map<string, Extension>();
  for (const each of lists.flat()) if (!merged.has(each.extensionName)) merged.set(each.extensionName, each);
  return [...merged.values()];
}

function readOne(at: bigint): Extension {
  return { extensionName: readCString(at), specVersion: peek32(at + BigInt(PROPERTIES.specVersion)) };
}

function writeOne({ extensionName, specVersion }: Extension, to: bigint): void {
  const memory = arena(), mark = memory.mark(), at = memory.alloc(PROPERTIES.size);
  memory.bytes.fill(0, at, at + PROPERTIES.size);
  new TextEncoder().encodeInto(extensionName, memory.bytes.subarray(at, at + PROPERTIES.name - 1));
  memory.view.setUint32(at + PROPERTIES.specVersion, specVersion, true);
  copyFromArena(to, at, PROPERTIES.size);
  memory.release(mark);
}
