import { inFrame } from "../../../ffi/arena.ts";
import { peek32, poke32, poke64 } from "../../../ffi/machine.ts";
import type { DriverSide } from "./driver_side.ts";
import {
  sizeOfVkPhysicalDeviceGroupProperties,
  VK_INCOMPLETE,
  VkPhysicalDeviceGroupProperties,
} from "../../gen/native_gen.ts";

const GROUP = VkPhysicalDeviceGroupProperties;
const ENUMERATE = "vkEnumeratePhysicalDevices";

/** vkEnumeratePhysicalDeviceGroups for a driver without it: every physical device is a group. */
export function singleGroups(side: DriverSide, instance: bigint, count: bigint, out: bigint): number {
  return inFrame((memory) => {
    const number = memory.alloc(4);
    memory.view.setUint32(number, 0, true);
    const counted = side.call(instance, ENUMERATE, [instance, memory.address(number), 0n]) as number;
    if (counted < 0) return counted;
    const all = memory.view.getUint32(number, true);
    if (out === 0n || all === 0) return poke32(count, all), counted;
    const room = Math.min(all, peek32(count)), handles = memory.alloc(8 * room);
    if (room === 0) return VK_INCOMPLETE;
    memory.view.setUint32(number, room, true);
    const result = side.call(instance, ENUMERATE, [
      instance,
      memory.address(number),
      memory.address(handles),
    ]) as number;
    if (result < 0) return result;
    const found = memory.view.getUint32(number, true);
    for (let i = 0; i < found; i++) {
      writeGroup(
        out + BigInt(sizeOfVkPhysicalDeviceGroupProperties * i),
        memory.view.getBigUint64(handles + 8 * i, true),
      );
    }
    poke32(count, found);
    return result;
  });
}

function writeGroup(group: bigint, gpu: bigint): void {
  poke32(group + GROUP.physicalDeviceCount, 1);
  poke64(group + GROUP.physicalDevices, gpu);
  poke32(group + GROUP.subsetAllocation, 0);
}
