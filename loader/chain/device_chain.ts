import { invokeAddress, poke64 } from "../../ffi/machine.ts";
import { findCommand } from "../command/registry/table.ts";
import {
  adoptOrDestroy,
  adoptWrapped,
  bindDriver,
  destroyDevice,
  deviceTable,
  madeHandle,
  stampOver,
} from "./object/adopt.ts";
import { type ChainElement, forgetDevice } from "./element.ts";
import { createLinked, type DeviceCall, deviceElements, type Links } from "./link/links.ts";
import { enterDevice, leaveDevice } from "./table/device_trampolines.ts";
import type { Driver } from "../driver/interface/driver.ts";
import type { DispatchTable } from "./table/dispatch_table.ts";
import { createDriverDevice } from "./bottom/driver_instance.ts";
import { requestedExtensions, withGroup } from "../driver/structs/create_info.ts";
import { DEBUG_UTILS, hideDisabled, hideExtension, hideNewer } from "./table/enabled.ts";
import type { InstanceChain } from "./instance_chain.ts";
import { giveBackKept, keeping } from "./object/kept_memory.ts";
import type { DriverTerminators } from "./bottom/terminators.ts";
import { nameWrapped } from "./object/wrapping.ts";

/** The raw arguments of a vkCreateDevice that goes down the chain of an instance. */
export interface DeviceRequest extends DeviceCall {
  /** The instance. */
  readonly instance: InstanceChain;
  /** Address for the new handle. */
  readonly out: bigint;
}

/** A VkDevice with its dispatch table. */
export class DeviceChain {
  /** The table to which word 0 of the device, its queues and command buffers points. */
  readonly table: DispatchTable;
  /** The handle for the application. */
  readonly handle: bigint;
  readonly #driver: Driver;
  readonly #links: Links | undefined;
  readonly #elements: readonly ChainElement[];

  private constructor(
    driver: Driver,
    table: DispatchTable,
    handle: bigint,
    elements: readonly ChainElement[],
    links?: Links,
  ) {
    this.#driver = driver;
    this.table = table;
    this.handle = handle;
    this.#elements = elements;
    this.#links = links;
  }

  /** Calls vkCreateDevice down the chain. Returns its VkResult if that is an error; `*out` has the handle. */
  static create(request: DeviceRequest): DeviceChain | number {
    const { instance, info, allocator } = request, { terminators } = instance;
    const chain = keeping(
      "VkDevice",
      allocator,
      () => terminators ? DeviceChain.#throughLayers(request, terminators) : DeviceChain.#ofDriver(request),
    );
    if (typeof chain !== "number" && !instance.driver.filtersItself) followLinux(chain.table, info, instance);
    return chain;
  }

  /** Calls vkDestroyDevice down the chain, unless native code has done so, and frees the device's resources. */
  destroy(allocator: bigint): void {
    const destroy = this.table.get(findCommand("vkDestroyDevice")!.slot);
    if (!this.table.isOrphan) {
      invokeAddress(destroy, "v:qq", [this.handle, allocator]);
      giveBackKept(this.table, allocator);
    }
    this.#driver.deviceGone?.(this.handle);
    this.#links?.close();
    forgetDevice(this.#elements, this.table);
    leaveDevice(this.table);
    this.table.close();
  }

  static #ofDriver({ instance, physicalDevice, info, allocator, out }: DeviceRequest): DeviceChain | number {
    const { driver, table: commands } = instance;
    const creation = {
      create: commands.get(findCommand("vkCreateDevice")!.slot),
      enumerate: commands.get(findCommand("vkEnumerateDeviceExtensionProperties")!.slot),
      sortsExtensions: driver.sortsExtensions,
    };
    const result = createDriverDevice(creation, physicalDevice, info, allocator, out);
    if (result < 0) return result;
    const handle = madeHandle(driver, out, "VkDevice"), table = deviceTable();
    bindDriver(table, driver, instance.handle, handle);
    const own = table.get(table.layout.bottom);
    adoptOrDestroy(driver, handle, table, () => {
      table.close();
      destroyDevice(own, handle, allocator);
      driver.deviceGone?.(handle);
    });
    return DeviceChain.#over(driver, table, handle, own, []);
  }

  static #throughLayers(request: DeviceRequest, terminators: DriverTerminators): DeviceChain | number {
    const { instance, info, allocator, out } = request;
    const elements = deviceElements(instance.elements);
    const create = instance.table.get(findCommand("vkCreateDevice")!.slot);
    const links = withGroup(
      info,
      (gpu) => instance.wrapping?.find(gpu) ?? gpu,
      () => createLinked(create, elements, terminators, request),
    );
    if (typeof links === "number") return links;
    const { handle } = links, top = elements[0]?.getDeviceProcAddr ?? terminators.getDeviceProcAddr;
    const table = terminators.claim(handle) ?? deviceTable(elements);
    adoptWrapped(handle, table, "VkDevice", elements, () => {
      destroyDevice(top, handle, allocator);
      instance.driver.deviceGone?.(handle);
      table.close();
      links.close();
    });
    poke64(out, handle);
    const chain = DeviceChain.#over(instance.driver, table, handle, top, elements, links);
    if (instance.wrapping) nameWrapped(table, instance.wrapping);
    return chain;
  }

  static #over(
    driver: Driver,
    table: DispatchTable,
    handle: bigint,
    getDeviceProcAddr: bigint,
    elements: readonly ChainElement[],
    links?: Links,
  ): DeviceChain {
    table.fill(getDeviceProcAddr, handle);
    stampOver("device", table);
    enterDevice(table, handle);
    return new DeviceChain(driver, table, handle, elements, links);
  }
}

/** Applies Linux's rules for what an application sees of a new device. */
function followLinux(table: DispatchTable, info: bigint, { apiVersion, hasDebugUtils }: InstanceChain): void {
  table.followLinux(requestedExtensions(info));
  hideDisabled(table, info);
  hideNewer(table, info, apiVersion);
  if (!hasDebugUtils) hideExtension(table, DEBUG_UTILS);
}
