import { arena } from "../../../ffi/arena.ts";
import { cstring, readCString } from "../../../ffi/cstring.ts";
import { copyFromArena, invoke, peek32, poke32 } from "../../../ffi/machine.ts";

/** An entry of an extension list. */
export interface Offered {
  /** The extension. */
  readonly name: string;
  /** Its specVersion. */
  readonly version: number;
}

/** Bytes of VkExtensionProperties, and where its specVersion is. */
const SIZE = 260, VERSION = 256;
const VK_INCOMPLETE = 5;

/**
 * Asks a driver's vkEnumerate…ExtensionProperties for its whole list; `before`
 * are the arguments before the count. Room for one more is given: some drivers
 * change their mind between the calls. A negative VkResult when it fails.
 */
export function readExtensions(enumerate: bigint, before: readonly bigint[]): Offered[] | number {
  const memory = arena(), mark = memory.mark(), signature = `s:${"q".repeat(before.length + 2)}`;
  try {
    const count = memory.alloc(4),
      ask = (list: bigint) => invoke(enumerate, signature, [...before, memory.address(count), list]) as number;
    memory.view.setUint32(count, 0, true);
    const counted = ask(0n);
    if (counted < 0) return counted;
    const room = memory.view.getUint32(count, true) + 1, list = memory.alloc(SIZE * room);
    memory.view.setUint32(count, room, true);
    const filled = ask(memory.address(list));
    if (filled < 0) return filled;
    return Array.from({ length: memory.view.getUint32(count, true) }, (_, index) => entryAt(list + SIZE * index));
  } finally {
    memory.release(mark);
  }
}

function entryAt(at: number): Offered {
  const memory = arena();
  return { name: readCString(memory.address(at), VERSION), version: memory.view.getUint32(at + VERSION, true) };
}

/** Count-then-fill, as the specification has it. */
export function writeExtensions(list: readonly Offered[], count: bigint, out: bigint): number {
  if (out === 0n) {
    poke32(count, list.length);
    return 0;
  }
  const room = Math.min(peek32(count), list.length);
  list.slice(0, room).forEach((entry, index) => writeEntry(entry, out + BigInt(SIZE * index)));
  poke32(count, room);
  return room < list.length ? VK_INCOMPLETE : 0;
}

function writeEntry({ name, version }: Offered, to: bigint): void {
  const memory = arena(), mark = memory.mark(), at = memory.alloc(SIZE);
  memory.bytes.fill(0, at, at + SIZE);
  memory.bytes.set(cstring(name), at);
  memory.view.setUint32(at + VERSION, version, true);
  copyFromArena(to, at, SIZE);
  memory.release(mark);
}
