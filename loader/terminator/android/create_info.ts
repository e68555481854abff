import { arena } from "../../../ffi/arena.ts";
import { peek32 } from "../../../ffi/machine.ts";
import { dropLayers, nextOf, setExtensions, setNext } from "../../driver/structs/create_info.ts";
import {
  VK_STRUCTURE_TYPE_LOADER_DEVICE_CREATE_INFO,
  VK_STRUCTURE_TYPE_LOADER_INSTANCE_CREATE_INFO,
} from "../../gen/native_gen.ts";

const LOADER_STRUCTS: readonly number[] = [
  VK_STRUCTURE_TYPE_LOADER_INSTANCE_CREATE_INFO,
  VK_STRUCTURE_TYPE_LOADER_DEVICE_CREATE_INFO,
];

/** Returns the first struct of a create info's chain that is not the loader's own; 0n if there is none. */
export function firstOfChain(info: bigint): bigint {
  let next = nextOf(info);
  while (next !== 0n && LOADER_STRUCTS.includes(peek32(next))) next = nextOf(next);
  return next;
}

/**
 * Copies a create info of so many bytes into the arena for the driver: with
 * these extensions, no layers, and none of the loader's structs at the start of
 * the chain. Returns the copy's offset.
 */
export function infoForDriver(info: bigint, size: number, extensions: readonly string[]): number {
  const copy = arena().copyIn(info, size);
  setNext(copy, firstOfChain(info));
  dropLayers(copy);
  setExtensions(copy, extensions);
  return copy;
}
