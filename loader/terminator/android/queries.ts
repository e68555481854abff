import { copyFromArena } from "../../../ffi/machine.ts";
import { inFrame } from "../../../ffi/arena.ts";
import type { DriverSide } from "./driver_side.ts";
import { sizeOfVkExternalMemoryProperties, VkExternalSemaphoreProperties } from "../../gen/native_gen.ts";

/** Offset and size of the answers about handle types in every VkExternal…Properties. */
const AT = VkExternalSemaphoreProperties.exportFromImportedHandleTypes, SIZE = sizeOfVkExternalMemoryProperties;

/** Returns a driver's address of a command of Vulkan 1.1, under its core name or its KHR name; 0n if it has neither. */
export function coreOrKhr(side: DriverSide, instance: bigint, name: string): bigint {
  return side.proc(instance, name) || side.proc(instance, `${name}KHR`);
}

/** Writes the answer for a driver that lacks the query: external handles cannot be used. */
export function nothingExternal(_gpu: bigint, _info: bigint, properties: bigint): void {
  inFrame((memory) => {
    const zeros = memory.alloc(SIZE);
    memory.bytes.fill(0, zeros, zeros + SIZE);
    copyFromArena(properties + AT, zeros, SIZE);
  });
}
