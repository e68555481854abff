import { arena } from "../../../ffi/arena.ts";
import { cstring } from "../../../ffi/cstring.ts";
import { peek32 } from "../../../ffi/machine.ts";
import { nextOf } from "../../chain/create_info.ts";

/** Bytes of the create infos. */
const SIZES = { instance: 64, device: 72 } as const;
/** Where the members are that both infos have at the same place, and the instance's application info. */
const AT = { pNext: 8, application: 24, layerCount: 32, extensionCount: 48, extensionNames: 56 } as const;
/** VkApplicationInfo. */
const APPLICATION = { size: 48, apiVersion: 44 } as const;
/** VK_STRUCTURE_TYPE_LOADER_INSTANCE_CREATE_INFO and its sister for devices. */
const LOADER_STRUCTS: readonly number[] = [47, 48];

/** The first struct of a create info's chain that is not the loader's own; 0n at its end. */
export function firstOfChain(info: bigint): bigint {
  let next = nextOf(info);
  while (next !== 0n && LOADER_STRUCTS.includes(peek32(next))) next = nextOf(next);
  return next;
}

/**
 * Copies a create info into the arena as the driver gets it: these extensions,
 * no layers, and none of the loader's structs before the chain. Returns the
 * copy's offset.
 */
export function infoForDriver(level: keyof typeof SIZES, info: bigint, extensions: readonly string[]): number {
  const memory = arena(), copy = memory.copyIn(info, SIZES[level]), names = memory.alloc(8 * extensions.length + 8);
  extensions.forEach((name, index) => memory.view.setBigUint64(names + 8 * index, memory.place(cstring(name)), true));
  memory.view.setBigUint64(copy + AT.pNext, firstOfChain(info), true);
  memory.view.setUint32(copy + AT.layerCount, 0, true);
  memory.view.setUint32(copy + AT.extensionCount, extensions.length, true);
  memory.view.setBigUint64(copy + AT.extensionNames, memory.address(names), true);
  return copy;
}

/** Gives a VkInstanceCreateInfo in the arena an application info like its own, with another apiVersion. */
export function setVersion(copy: number, version: number): void {
  const memory = arena(), application = memory.view.getBigUint64(copy + AT.application, true);
  if (application === 0n) return;
  const changed = memory.copyIn(application, APPLICATION.size);
  memory.view.setUint32(changed + APPLICATION.apiVersion, version, true);
  memory.view.setBigUint64(copy + AT.application, memory.address(changed), true);
}
