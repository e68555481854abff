import { arena } from "../../ffi/arena.ts";
import { readCString } from "../../ffi/cstring.ts";
import { peek32, peek64 } from "../../ffi/machine.ts";

/** Where VkInstanceCreateInfo and VkDeviceCreateInfo both have their lists of names. */
const LAYER_COUNT = 32, EXTENSION_COUNT = 48, EXTENSION_NAMES = 56;
/** Bytes of VkInstanceCreateInfo and of VkDeviceCreateInfo. */
export const INSTANCE_CREATE_INFO = 64, DEVICE_CREATE_INFO = 72;

/** The extensions that a VkInstanceCreateInfo or VkDeviceCreateInfo enables, in order. */
export function enabledExtensions(info: bigint): string[] {
  return namePointers(info).map((pointer) => readCString(pointer));
}

/**
 * Copies a VkInstanceCreateInfo or VkDeviceCreateInfo into the arena as a
 * driver is to see it: without layers, which are the loader's affair, and with
 * only those extensions that `keep` wants. Returns the copy's offset.
 */
export function infoForDriver(info: bigint, size: number, keep: (name: string) => boolean): number {
  const memory = arena(), kept = namePointers(info).filter((pointer) => keep(readCString(pointer)));
  const copy = memory.copyIn(info, size), names = memory.alloc(8 * kept.length + 8);
  kept.forEach((pointer, index) => memory.view.setBigUint64(names + 8 * index, pointer, true));
  memory.view.setUint32(copy + LAYER_COUNT, 0, true);
  memory.view.setUint32(copy + EXTENSION_COUNT, kept.length, true);
  memory.view.setBigUint64(copy + EXTENSION_NAMES, memory.address(names), true);
  return copy;
}

function namePointers(info: bigint): bigint[] {
  const count = peek32(info + BigInt(EXTENSION_COUNT)), names = peek64(info + BigInt(EXTENSION_NAMES));
  if (names === 0n) return [];
  return Array.from({ length: count }, (_, index) => peek64(names + BigInt(8 * index))).filter((name) => name !== 0n);
}
