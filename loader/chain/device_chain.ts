import { arena } from "../../ffi/arena.ts";
import { invoke, peek64 } from "../../ffi/machine.ts";
import { setLoaderDataAddress } from "../../ffi/stamp.ts";
import { findCommand } from "../command/table.ts";
import { adoptOrDestroy, bindDriver, destroyDevice, deviceTable, stampOver } from "./adopt.ts";
import { enterDevice, leaveDevice } from "./device_trampolines.ts";
import type { DispatchTable } from "./dispatch_table.ts";
import type { InstanceChain } from "./instance_chain.ts";
import { Links } from "./links.ts";

/** Bytes of VkDeviceCreateInfo. */
const DEVICE_CREATE_INFO = 72;

/** A VkDevice with its dispatch table. */
export class DeviceChain {
  /** The table word 0 of the device, its queues and command buffers points at. */
  readonly table: DispatchTable;
  /** The device as the application sees it. */
  readonly handle: bigint;
  readonly #links: Links | undefined;

  private constructor(table: DispatchTable, handle: bigint, links?: Links) {
    this.table = table;
    this.handle = handle;
    this.#links = links;
  }

  /** Calls vkCreateDevice down the chain. Returns its VkResult when that is an error; `*out` holds the handle. */
  static create(
    instance: InstanceChain,
    physicalDevice: bigint,
    info: bigint,
    allocator: bigint,
    out: bigint,
  ): DeviceChain | number {
    const elements = instance.elements.filter((element) => element.getDeviceProcAddr !== 0n);
    const links = instance.terminators && new Links(48, elements, instance.terminators, setLoaderDataAddress());
    const result = createThroughTop(instance, links, physicalDevice, info, allocator, out);
    if (result < 0) {
      links?.close();
      return result;
    }
    const handle = peek64(out);
    const table = instance.terminators?.claim(handle) ?? deviceTableOf(instance, handle);
    const top = elements[0]?.getDeviceProcAddr ?? table.get(table.layout.bottom);
    adoptOrDestroy(instance.driver, handle, table, () => {
      table.close();
      destroyDevice(top, handle, allocator);
      links?.close();
    });
    return DeviceChain.#over(table, handle, top, links);
  }

  /** Calls vkDestroyDevice down the chain, unless native code has done so, and frees what belongs to it. */
  destroy(allocator: bigint): void {
    const destroy = this.table.get(findCommand("vkDestroyDevice")!.slot);
    if (!this.table.isOrphan) invoke(destroy, "v:qq", [this.handle, allocator]);
    this.#links?.close();
    leaveDevice(this.table);
    this.table.close();
  }

  static #over(table: DispatchTable, handle: bigint, getDeviceProcAddr: bigint, links?: Links): DeviceChain {
    table.fill(getDeviceProcAddr, handle);
    stampOver("device", table);
    enterDevice(table, handle);
    return new DeviceChain(table, handle, links);
  }
}

function createThroughTop(
  instance: InstanceChain,
  links: Links | undefined,
  physicalDevice: bigint,
  info: bigint,
  allocator: bigint,
  out: bigint,
): number {
  const create = instance.table.get(findCommand("vkCreateDevice")!.slot);
  if (!links) return invoke(create, "s:qqqq", [physicalDevice, info, allocator, out]) as number;
  const memory = arena(), mark = memory.mark();
  try {
    return invoke(create, "s:qqqq", [physicalDevice, links.linked(info, DEVICE_CREATE_INFO), allocator, out]) as number;
  } finally {
    memory.release(mark);
  }
}

function deviceTableOf({ driver, handle }: InstanceChain, device: bigint): DispatchTable {
  const table = deviceTable();
  bindDriver(table, driver, handle, device);
  return table;
}
