import { arena } from "../../ffi/arena.ts";
import { readCString } from "../../ffi/cstring.ts";
import { peek32, peek64 } from "../../ffi/machine.ts";

/** Where VkInstanceCreateInfo and VkDeviceCreateInfo alike have their layers and extensions. */
const LAYER_COUNT = 32, COUNT = 48, NAMES = 56;
/** Bytes of VkInstanceCreateInfo and of VkDeviceCreateInfo. */
export const INSTANCE_CREATE_INFO = 64, DEVICE_CREATE_INFO = 72;

/**
 * The names of the extensions that the VkInstanceCreateInfo or
 * VkDeviceCreateInfo at an address enables; `undefined` when it has a count and
 * no array. A NULL among them reads as `""`.
 */
export function enabledExtensions(info: bigint): string[] | undefined {
  return extensionPointers(info)?.map((pointer) => readCString(pointer));
}

/**
 * The create info at an address, `size` bytes, with only those extensions that
 * `keep` wants: itself when that is all of them, else a copy in the arena.
 */
export function withExtensions(info: bigint, size: number, keep: (name: string) => boolean): bigint {
  if (peek32(info + BigInt(COUNT)) === 0) return info;
  const pointers = extensionPointers(info) ?? [], kept = pointers.filter((pointer) => keep(readCString(pointer)));
  if (kept.length === pointers.length) return info;
  const memory = arena(), copy = memory.copyIn(info, size), names = memory.alloc(8 * kept.length + 8);
  kept.forEach((pointer, index) => memory.view.setBigUint64(names + 8 * index, pointer, true));
  memory.view.setUint32(copy + COUNT, kept.length, true);
  memory.view.setBigUint64(copy + NAMES, memory.address(names), true);
  return memory.address(copy);
}

/**
 * A copy in the arena of a create info as a driver is to see it: without
 * layers, which are the loader's affair, and with only those extensions that
 * `keep` wants. Returns the copy's offset.
 */
export function infoForDriver(info: bigint, size: number, keep: (name: string) => boolean = () => true): number {
  const memory = arena(), copy = memory.copyIn(withExtensions(info, size, keep), size);
  memory.view.setUint32(copy + LAYER_COUNT, 0, true);
  return copy;
}

function extensionPointers(info: bigint): bigint[] | undefined {
  const count = peek32(info + BigInt(COUNT)), names = peek64(info + BigInt(NAMES));
  if (count > 0 && names === 0n) return undefined;
  return Array.from({ length: count }, (_, index) => peek64(names + BigInt(8 * index)));
}
