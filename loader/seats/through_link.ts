import { peek32, peek64, poke64 } from "../../ffi/machine.ts";
import { chain, nextOf } from "../driver/structs/create_info.ts";
import { VK_ERROR_INITIALIZATION_FAILED } from "../gen/native_gen.ts";

/** VkLayerFunction VK_LAYER_LINK_INFO. */
const LINK_INFO = 0;
/** Offsets of `vk_layer.h`, in VkLayerInstanceCreateInfo and VkLayerDeviceCreateInfo, of the function and of the node. */
const INFO = { layerFunction: 16n, node: 24n } as const;
/** Offsets of `vk_layer.h`, in VkLayerInstanceLink and VkLayerDeviceLink, of the functions below the layer. */
const NODE = { next: 0n, instance: 8n, other: 16n } as const;

/** The functions below a layer, which the loader passes when an instance or device is created. */
export interface Below {
  /** Address of the GetInstanceProcAddr below. */
  readonly getInstanceProcAddr: bigint;
  /** For a device, address of the GetDeviceProcAddr below. */
  readonly getDeviceProcAddr: bigint;
}

/**
 * Creates an instance (`type` 47) or a device (48) with the functions below a
 * layer. The link in the create info is advanced for the next layer, as every
 * layer must do. If the creation fails, the link is put back, for layers above
 * that try again.
 */
export function throughLink(info: bigint, type: 47 | 48, create: (below: Below) => number): number {
  const at = linkIn(info, type), node = at === undefined ? 0n : peek64(at);
  // the call did not come through the loader
  if (at === undefined || node === 0n) return VK_ERROR_INITIALIZATION_FAILED;
  poke64(at, peek64(node + NODE.next));
  const result = create({
    getInstanceProcAddr: peek64(node + NODE.instance),
    getDeviceProcAddr: peek64(node + NODE.other),
  });
  if (result < 0) poke64(at, node);
  return result;
}

/** The address of the pointer to the node in a create info. */
function linkIn(info: bigint, type: number): bigint | undefined {
  for (const { sType, address } of chain(nextOf(info))) {
    if (sType === type && peek32(address + INFO.layerFunction) === LINK_INFO) return address + INFO.node;
  }
}
