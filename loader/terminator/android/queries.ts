import { copyFromArena } from "../../../ffi/machine.ts";
import { inFrame } from "../../../ffi/arena.ts";
import type { DriverSide } from "./driver_side.ts";

/** Offset and size of the answers about handle types in VkExternal…Properties. */
const EXTERNAL = { at: 16n, size: 12 } as const;

/** Returns a driver's address of a command of Vulkan 1.1, under its core name or its KHR name; 0n if it has neither. */
export function coreOrKhr(side: DriverSide, instance: bigint, name: string): bigint {
  return side.proc(instance, name) || side.proc(instance, `${name}KHR`);
}

/** Writes the answer for a driver that lacks the query: external handles cannot be used. */
export function nothingExternal(_gpu: bigint, _info: bigint, properties: bigint): void {
  inFrame((memory) => {
    const zeros = memory.alloc(EXTERNAL.size);
    memory.bytes.fill(0, zeros, zeros + EXTERNAL.size);
    copyFromArena(properties + EXTERNAL.at, zeros, EXTERNAL.size);
  });
}
