import { arena } from "../../ffi/arena.ts";
import { cstring } from "../../ffi/cstring.ts";
import { invoke, peek64 } from "../../ffi/machine.ts";
import { setLoaderDataAddress } from "../../ffi/stamp.ts";
import { findCommand } from "../command/table.ts";
import type { Driver } from "../driver/driver.ts";
import { driverProc, instanceProcAddr } from "../driver/probe.ts";
import { adoptOrDestroy, instanceTable, stampOver } from "./adopt.ts";
import { DeviceChain } from "./device_chain.ts";
import type { DispatchTable } from "./dispatch_table.ts";
import { createDriverInstance } from "./driver_instance.ts";
import type { ChainElement } from "./element.ts";
import { Links } from "./links.ts";
import { DriverTerminators } from "./terminators.ts";

/** Bytes of VkInstanceCreateInfo. */
const INSTANCE_CREATE_INFO = 64;

/** A VkInstance with its dispatch table and, when native layers stand above the driver, what links them. */
export class InstanceChain {
  /** The driver at the bottom. */
  readonly driver: Driver;
  /** Native layers, top to bottom. */
  readonly elements: readonly ChainElement[];
  /** The table word 0 of the instance and of its physical devices points at. */
  readonly table: DispatchTable;
  /** The instance as the application sees it. */
  readonly handle: bigint;
  /** What lies below the lowest native layer; undefined without one. */
  readonly terminators: DriverTerminators | undefined;
  readonly #links: Links | undefined;

  private constructor(
    driver: Driver,
    elements: readonly ChainElement[],
    table: DispatchTable,
    handle: bigint,
    terminators?: DriverTerminators,
    links?: Links,
  ) {
    this.driver = driver;
    this.elements = elements;
    this.table = table;
    this.handle = handle;
    this.terminators = terminators;
    this.#links = links;
  }

  /**
   * Calls vkCreateInstance down the chain with raw addresses. Returns its
   * VkResult when that is an error, else the chain; `*out` holds the handle.
   */
  static create(
    driver: Driver,
    elements: readonly ChainElement[],
    info: bigint,
    allocator: bigint,
    out: bigint,
  ): InstanceChain | number {
    return elements.length === 0
      ? InstanceChain.#createDirect(driver, info, allocator, out)
      : InstanceChain.#createLayered(driver, elements, info, allocator, out);
  }

  /** Calls vkDestroyInstance down the chain, unless native code has done so, and frees what belongs to it. */
  destroy(allocator: bigint): void {
    const destroy = this.table.get(findCommand("vkDestroyInstance")!.slot);
    if (!this.table.isOrphan) invoke(destroy, "v:qq", [this.handle, allocator]);
    this.terminators?.close();
    this.#links?.close();
    this.table.close();
  }

  /** Calls vkCreateDevice down the chain; see {@linkcode DeviceChain.create}. */
  createDevice(physicalDevice: bigint, info: bigint, allocator: bigint, out: bigint): DeviceChain | number {
    return DeviceChain.create(this, physicalDevice, info, allocator, out);
  }

  static #createDirect(driver: Driver, info: bigint, allocator: bigint, out: bigint): InstanceChain | number {
    const result = createDriverInstance(driver, info, allocator, out);
    if (result < 0) return result;
    const handle = peek64(out), table = instanceTable();
    adoptOrDestroy(driver, handle, table, () => {
      table.close();
      invoke(driverProc(driver, handle, "vkDestroyInstance"), "v:qq", [handle, allocator]);
    });
    table.fill(instanceProcAddr(driver, handle), handle);
    stampOver("instance", table);
    return new InstanceChain(driver, [], table, handle);
  }

  static #createLayered(
    driver: Driver,
    elements: readonly ChainElement[],
    info: bigint,
    allocator: bigint,
    out: bigint,
  ): InstanceChain | number {
    const table = instanceTable(), terminators = new DriverTerminators(driver, table);
    const below = { getInstanceProcAddr: terminators.getInstanceProcAddr, getDeviceProcAddr: 0n };
    const links = new Links(47, elements, below, setLoaderDataAddress());
    const result = createThroughTop(elements[0], links, info, allocator, out);
    if (result < 0) {
      terminators.close();
      links.close();
      table.close();
      return result;
    }
    const handle = peek64(out);
    table.fill(elements[0].getInstanceProcAddr, handle);
    return new InstanceChain(driver, elements, table, handle, terminators, links);
  }
}

function createThroughTop(top: ChainElement, links: Links, info: bigint, allocator: bigint, out: bigint): number {
  const memory = arena(), mark = memory.mark();
  try {
    const name = memory.place(cstring("vkCreateInstance"));
    const create = invoke(top.getInstanceProcAddr, "q:qq", [0n, name]) as bigint;
    return invoke(create, "s:qqq", [links.linked(info, INSTANCE_CREATE_INFO), allocator, out]) as number;
  } finally {
    memory.release(mark);
  }
}
