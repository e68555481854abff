import { arena } from "../../../../ffi/arena.ts";
import { copyFromArena, peek32, poke32 } from "../../../../ffi/machine.ts";
import { layoutOf } from "../../../codec/layout.ts";
import { readText } from "../../../codec/text.ts";
import type { RawCommand } from "../../../layer.ts";

const VK_INCOMPLETE = 5;
/** How often a list that is not whole is asked for again. */
const ATTEMPTS = 8;
/** Bytes of an extension's name. */
const NAME = 256;

/** Lists a device's extensions without the hidden ones, with the caller's room and the result codes of the full list. */
export function listExtensions(
  next: RawCommand<"vkEnumerateDeviceExtensionProperties">,
  [gpu, layer, count, out]: Parameters<RawCommand<"vkEnumerateDeviceExtensionProperties">>,
  hidden: ReadonlySet<string>,
): number {
  const memory = arena(), mark = memory.mark(), { size } = layoutOf("VkExtensionProperties");
  try {
    const all = fetchAll((room, to) => next(gpu, layer, room, to), size);
    if (typeof all === "number") return all;
    const shown = all.places.filter((at) => !hidden.has(readText(memory.bytes, at, NAME)));
    const room = out === 0n ? shown.length : Math.min(peek32(count), shown.length);
    if (out !== 0n) shown.slice(0, room).forEach((at, index) => copyFromArena(out + BigInt(size * index), at, size));
    poke32(count, room);
    return room < shown.length ? VK_INCOMPLETE : 0;
  } finally {
    memory.release(mark);
  }
}

/** Places in the arena of all items, or the error that came instead. The list may grow between the two calls. */
function fetchAll(list: (count: bigint, to: bigint) => number, size: number): { places: number[] } | number {
  const memory = arena(), count = memory.alloc(4), address = memory.address(count);
  for (let attempt = 1;; attempt++) {
    const counted = list(address, 0n);
    if (counted < 0) return counted;
    const at = memory.alloc(size * memory.view.getUint32(count, true) || 1);
    const result = list(address, memory.address(at));
    if (result < 0) return result;
    const length = memory.view.getUint32(count, true);
    if (result !== VK_INCOMPLETE || attempt === ATTEMPTS) {
      return { places: Array.from({ length }, (_, index) => at + size * index) };
    }
  }
}
