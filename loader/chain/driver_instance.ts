import { arena } from "../../ffi/arena.ts";
import { invoke } from "../../ffi/machine.ts";
import type { Driver } from "../driver/driver.ts";
import { driverProc } from "../driver/probe.ts";

/** Bytes of VkInstanceCreateInfo, and where its layer count is. */
const INSTANCE_CREATE_INFO = 64, ENABLED_LAYER_COUNT = 32;

/**
 * Calls the driver's vkCreateInstance with a copy of the create info that names
 * no layer: layers are the loader's affair, and a driver may refuse them.
 */
export function createDriverInstance(driver: Driver, info: bigint, allocator: bigint, out: bigint): number {
  const memory = arena(), mark = memory.mark();
  try {
    const copy = memory.copyIn(info, INSTANCE_CREATE_INFO);
    memory.view.setUint32(copy + ENABLED_LAYER_COUNT, 0, true);
    const create = driverProc(driver, 0n, "vkCreateInstance");
    return invoke(create, "s:qqq", [memory.address(copy), allocator, out]) as number;
  } finally {
    memory.release(mark);
  }
}
