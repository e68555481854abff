import { copyFromArena } from "../../../ffi/machine.ts";
import { inFrame } from "../../../ffi/arena.ts";
import type { DriverSide } from "./driver_side.ts";

/** Where VkExternal…Properties have what they say of handle types, and its bytes. */
const EXTERNAL = { at: 16n, size: 12 } as const;

/** A driver's address of a command of Vulkan 1.1, under its core or its KHR name; 0n when it has neither. */
export function coreOrKhr(side: DriverSide, instance: bigint, name: string): bigint {
  return side.proc(instance, name) || side.proc(instance, `${name}KHR`);
}

/** What a driver that cannot answer would say of external handles: nothing can be done with them. */
export function nothingExternal(_gpu: bigint, _info: bigint, properties: bigint): void {
  inFrame((memory) => {
    const zeros = memory.alloc(EXTERNAL.size);
    memory.bytes.fill(0, zeros, zeros + EXTERNAL.size);
    copyFromArena(properties + EXTERNAL.at, zeros, EXTERNAL.size);
  });
}
