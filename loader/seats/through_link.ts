import { peek32, peek64, poke64 } from "../../ffi/machine.ts";
import { chain, nextOf } from "../driver/structs/create_info.ts";

/** VkLayerFunction VK_LAYER_LINK_INFO. */
const LINK_INFO = 0;
/** Where VkLayerInstanceCreateInfo and VkLayerDeviceCreateInfo have their function, and the node that it is about. */
const INFO = { layerFunction: 16n, node: 24n } as const;
/** Where VkLayerInstanceLink and VkLayerDeviceLink have what lies below the layer. */
const NODE = { next: 0n, instance: 8n, other: 16n } as const;
const VK_ERROR_INITIALIZATION_FAILED = -3;

/** What lies below a layer, as the loader tells it when an instance or device is made. */
export interface Below {
  /** Address of the GetInstanceProcAddr below. */
  readonly getInstanceProcAddr: bigint;
  /** For a device, address of the GetDeviceProcAddr below. */
  readonly getDeviceProcAddr: bigint;
}

/**
 * Makes an instance (`type` 47) or a device (48) with what lies below a layer:
 * the link in the create info is left to the next layer, as every layer must.
 * When that fails the link is put back, for layers above that try again.
 */
export function throughLink(info: bigint, type: 47 | 48, create: (below: Below) => number): number {
  const at = linkIn(info, type), node = at === undefined ? 0n : peek64(at);
  if (at === undefined || node === 0n) return VK_ERROR_INITIALIZATION_FAILED; // the call went past the loader
  poke64(at, peek64(node + NODE.next));
  const result = create({
    getInstanceProcAddr: peek64(node + NODE.instance),
    getDeviceProcAddr: peek64(node + NODE.other),
  });
  if (result < 0) poke64(at, node);
  return result;
}

/** Where a create info points at a node. */
function linkIn(info: bigint, type: number): bigint | undefined {
  for (const { sType, address } of chain(nextOf(info))) {
    if (sType === type && peek32(address + INFO.layerFunction) === LINK_INFO) return address + INFO.node;
  }
}
