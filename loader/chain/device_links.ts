import { arena } from "../../ffi/arena.ts";
import { invoke } from "../../ffi/machine.ts";
import { setLoaderDataAddress } from "../../ffi/stamp.ts";
import type { ChainElement } from "./element.ts";
import { Links } from "./links.ts";
import type { DriverTerminators } from "./terminators.ts";

/** Bytes of VkDeviceCreateInfo. */
const DEVICE_CREATE_INFO = 72;

/** The elements that have a part in devices: instance-only layers stay out. */
export function deviceElements(elements: readonly ChainElement[]): ChainElement[] {
  return elements.filter((element) => element.getDeviceProcAddr !== 0n);
}

/**
 * Calls a vkCreateDevice with links to the elements at and below it. Returns
 * its VkResult when that is an error, else the links, which hold the handle and
 * must live as long as the device does.
 */
export function createLinked(
  create: bigint,
  elements: readonly ChainElement[],
  terminators: DriverTerminators,
  physicalDevice: bigint,
  info: bigint,
  allocator: bigint,
): Links | number {
  const links = new Links(48, elements, terminators, { setLoaderData: setLoaderDataAddress() });
  const memory = arena(), mark = memory.mark();
  try {
    const args = [physicalDevice, links.linked(info, DEVICE_CREATE_INFO), allocator, links.openOut()];
    const result = terminators.expecting(links.standIn, () => invoke(create, "s:qqqq", args) as number);
    if (result >= 0) return links;
    links.close();
    return result;
  } finally {
    memory.release(mark);
  }
}
