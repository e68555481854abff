import { arena } from "../../ffi/arena.ts";
import { invoke, poke64 } from "../../ffi/machine.ts";
import { procOf } from "../../ffi/proc_of.ts";
import { setLoaderDataAddress } from "../../ffi/stamp.ts";
import type { Wrapping } from "../../ffi/wrapping.ts";
import { findCommand } from "../command/table.ts";
import type { Driver } from "../driver/driver.ts";
import type { Told } from "../driver/log.ts";
import { driverProc, instanceProcAddr } from "../driver/probe.ts";
import { VK_MAKE_API_VERSION } from "../version.ts";
import { adoptOrDestroy, adoptWrapped, instanceTable, madeHandle, stampOver } from "./adopt.ts";
import { INSTANCE_CREATE_INFO, requestedExtensions, requestedVersion } from "../driver/create_info.ts";
import { DeviceChain } from "./device_chain.ts";
import { setBelow } from "./device_extensions.ts";
import type { DispatchTable } from "./dispatch_table.ts";
import { createDriverInstance } from "./driver_instance.ts";
import type { ChainElement } from "./element.ts";
import { DEBUG_UTILS, hideDisabled } from "./enabled.ts";
import { giveBackKept, keeping } from "./kept_memory.ts";
import { LayerDevices } from "./layer_devices.ts";
import { Links } from "./links.ts";
import { DriverTerminators, type LayerListing } from "./terminators.ts";
import { wrapDevices } from "./wrapping.ts";

/** Vulkan 1.3: from it on an instance is not asked for commands that need none. */
const STRICT_VERSION = VK_MAKE_API_VERSION(0, 1, 3, 0);

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
  /** The Vulkan version the application asked for; 0 when it named none. */
  readonly apiVersion: number;
  /** Whether it enabled VK_EXT_debug_utils, which brings commands of devices, too. */
  readonly hasDebugUtils: boolean;
  /** What lies below the lowest native layer; undefined without one. */
  readonly terminators: DriverTerminators | undefined;
  readonly #links: Links | undefined;
  readonly #layerDevices: LayerDevices | undefined;
  /** What its physical devices are wrapped by, where layers may list some of their own. */
  readonly wrapping: Wrapping | undefined;

  private constructor(
    driver: Driver,
    elements: readonly ChainElement[],
    info: bigint,
    table: DispatchTable,
    handle: bigint,
    terminators?: DriverTerminators,
    links?: Links,
    layerDevices?: LayerDevices,
    wrapping?: Wrapping,
  ) {
    this.driver = driver;
    this.elements = elements;
    this.apiVersion = requestedVersion(info);
    this.hasDebugUtils = requestedExtensions(info).includes(DEBUG_UTILS);
    this.table = table;
    table.setDriver(driver.search ? "" : driver.path); // looking what paths there are now takes its time
    this.handle = handle;
    this.terminators = terminators;
    this.#links = links;
    this.#layerDevices = layerDevices;
    this.wrapping = wrapping;
  }

  /**
   * Calls vkCreateInstance down the chain with raw addresses. Returns its
   * VkResult when that is an error, else the chain; `*out` holds the handle.
   * `listLayers` tells native layers which layers there are.
   */
  static create(
    driver: Driver,
    elements: readonly ChainElement[],
    info: bigint,
    allocator: bigint,
    out: bigint,
    listLayers?: LayerListing,
  ): InstanceChain | number {
    const chain = keeping(
      "VkInstance",
      allocator,
      () =>
        elements.length === 0
          ? InstanceChain.#createDirect(driver, info, allocator, out)
          : InstanceChain.#createLayered(driver, elements, info, allocator, out, listLayers),
    );
    if (typeof chain !== "number" && !driver.filtersItself) chain.#followLinux(info);
    return chain;
  }

  /** Calls vkDestroyInstance down the chain, unless native code has done so, and frees what belongs to it. */
  destroy(allocator: bigint): void {
    const destroy = this.table.get(findCommand("vkDestroyInstance")!.slot);
    if (!this.table.isOrphan) {
      invoke(destroy, "v:qq", [this.handle, allocator]);
      giveBackKept(this.table, allocator);
    }
    if (!this.terminators) this.driver.instanceGone?.(this.handle); // else they tell: only once, and of the driver's own
    this.#layerDevices?.close();
    this.terminators?.close();
    this.#links?.close();
    this.wrapping?.close();
    this.table.close();
  }

  /** Tells those who listen to the instance a message of the loader's. */
  tell(message: Told): void {
    this.driver.tell?.(this.terminators?.instance ?? this.handle, message);
  }

  /** Calls vkCreateDevice down the chain; see {@linkcode DeviceChain.create}. */
  createDevice(physicalDevice: bigint, info: bigint, allocator: bigint, out: bigint): DeviceChain | number {
    return DeviceChain.create(this, physicalDevice, info, allocator, out);
  }

  /** Linux's rules for what an application sees of a new instance. */
  #followLinux(info: bigint): void {
    this.table.followLinux(requestedExtensions(info));
    hideDisabled(this.table, info);
    if (this.apiVersion < STRICT_VERSION) this.table.allowGlobals();
  }

  static #createDirect(driver: Driver, info: bigint, allocator: bigint, out: bigint): InstanceChain | number {
    const result = createDriverInstance(driver, info, allocator, out);
    if (result < 0) return result;
    const handle = madeHandle(driver, out, "VkInstance"), table = instanceTable();
    adoptOrDestroy(driver, handle, table, () => {
      table.close();
      invoke(driverProc(driver, handle, "vkDestroyInstance"), "v:qq", [handle, allocator]);
      driver.instanceGone?.(handle);
    });
    table.fill(instanceProcAddr(driver, handle), handle);
    stampOver("instance", table);
    // A driver may give its physical devices to instances with layers, too: whose table they lead to then is open.
    const enumerate = table.get(findCommand("vkEnumerateDeviceExtensionProperties")!.slot);
    setBelow(table, enumerate, enumerate);
    return new InstanceChain(driver, [], info, table, handle);
  }

  static #createLayered(
    driver: Driver,
    elements: readonly ChainElement[],
    info: bigint,
    allocator: bigint,
    out: bigint,
    listLayers?: LayerListing,
  ): InstanceChain | number {
    const table = instanceTable(elements), terminators = new DriverTerminators(driver, table, elements, listLayers);
    const devices = new LayerDevices(elements, terminators);
    const below = {
      getInstanceProcAddr: terminators.getInstanceProcAddr,
      getDeviceProcAddr: 0n,
      getPhysicalDeviceProcAddr: terminators.getPhysicalDeviceProcAddr,
    };
    const callbacks = { ...devices.callbacks, setLoaderData: setLoaderDataAddress() };
    const links = new Links(47, elements, below, callbacks, table.address);
    const close = () => [devices, terminators, links, table].forEach((part) => part.close());
    const result = terminators.expecting(links.standIn, () => createThroughTop(elements[0], links, info, allocator));
    if (result < 0) {
      close();
      return result;
    }
    const { handle } = links, top = elements[0].getInstanceProcAddr;
    adoptWrapped(handle, table, "VkInstance", elements, () => {
      invoke(procOf(top, handle, "vkDestroyInstance"), "v:qq", [handle, allocator]);
      close();
    });
    poke64(out, handle);
    table.fill(top, handle);
    const wrapping = driver.filtersItself ? undefined : wrapDevices(table, elements, driver);
    return new InstanceChain(driver, elements, info, table, handle, terminators, links, devices, wrapping);
  }
}

function createThroughTop(top: ChainElement, links: Links, info: bigint, allocator: bigint): number {
  const memory = arena(), mark = memory.mark();
  try {
    // Asked with an instance, though there is none yet: layers of old answer nothing to NULL.
    const create = procOf(top.getInstanceProcAddr, links.standIn, "vkCreateInstance");
    const linked = links.linked(info, INSTANCE_CREATE_INFO);
    return invoke(create, "s:qqq", [linked, allocator, links.openOut()]) as number;
  } finally {
    memory.release(mark);
  }
}
