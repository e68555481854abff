import { inFrame } from "../../../ffi/arena.ts";
import { peek32, peek64, poke64 } from "../../../ffi/machine.ts";
import { findInChain, nextOf } from "./create_info.ts";

/** VkDeviceGroupDeviceCreateInfo: its structure type and the offsets of its members. */
const GROUP_INFO = { sType: 1_000_070_001, count: 16n, devices: 24n };

/**
 * Calls `create` with replaced handles in the VkDeviceGroupDeviceCreateInfo of
 * a VkDeviceCreateInfo, if there is one.
 */
export function withGroup<T>(info: bigint, exchange: (gpu: bigint) => bigint, create: () => T): T {
  const group = findInChain(nextOf(info), GROUP_INFO.sType);
  const list = group === 0n ? 0n : peek64(group + GROUP_INFO.devices);
  if (list === 0n) return create();
  return inFrame((memory) => {
    const count = peek32(group + GROUP_INFO.count), exchanged = memory.alloc(8 * count + 8);
    for (let index = 0; index < count; index++) {
      memory.view.setBigUint64(exchanged + 8 * index, exchange(peek64(list + BigInt(8 * index))), true);
    }
    poke64(group + GROUP_INFO.devices, memory.address(exchanged));
    try {
      return create();
    } finally {
      poke64(group + GROUP_INFO.devices, list);
    }
  });
}
