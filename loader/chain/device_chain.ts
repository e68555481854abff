import { invokeAddress } from "../../ffi/machine.ts";
import { findCommand } from "../command/registry/table.ts";
import {
  adoptOrDestroy,
  bindDriver,
  destroyDevice,
  deviceTable,
  madeHandle,
  requireDestroy,
  stampOver,
} from "./object/adopt.ts";
import { forgetDevice } from "./element.ts";
import type { DispatchTable } from "./table/dispatch_table.ts";
import { alone } from "./installed.ts";
import { createDriverDevice, DEVICE_EXTENSIONS } from "./bottom/driver_instance.ts";
import { requestedExtensions } from "../driver/structs/create_info.ts";
import { DEBUG_UTILS, fillEnabled, hideExtension, hideNewer } from "./table/enabled.ts";
import type { InstanceChain } from "./instance_chain.ts";
import type { DeviceCall, LinkedDevice } from "./linking.ts";
import { giveBackKept, keeping } from "./object/kept_memory.ts";

/** The raw arguments of a vkCreateDevice that goes down the chain of an instance. */
export interface DeviceRequest extends DeviceCall {
  /** The instance. */
  readonly instance: InstanceChain;
  /** Address for the new handle. */
  readonly out: bigint;
}

/** A new device, with links if native layers take part in it. */
type MadeDevice = Pick<LinkedDevice, "table" | "handle" | "getDeviceProcAddr"> & Partial<LinkedDevice>;

/** A VkDevice with its dispatch table. */
export class DeviceChain {
  /** The table to which word 0 of the device, its queues and command buffers points. */
  readonly table: DispatchTable;
  /** The handle for the application. */
  readonly handle: bigint;
  readonly #instance: InstanceChain;
  readonly #made: MadeDevice;

  private constructor(instance: InstanceChain, made: MadeDevice) {
    this.#instance = instance;
    this.#made = made;
    this.table = made.table;
    this.handle = made.handle;
  }

  /** Calls vkCreateDevice down the chain. Returns its VkResult if that is an error; `*out` has the handle. */
  static create(request: DeviceRequest): DeviceChain | number {
    const { instance, info, allocator, out } = request, { layers, table } = instance;
    const make = () => layers ? layers.createDevice(table, request, out) : ofDriver(request);
    const chain = alone(() =>
      keeping("VkDevice", allocator, () => {
        const made = make();
        return typeof made === "number" ? made : DeviceChain.#fill(instance, made, info);
      })
    );
    if (typeof chain !== "number" && !instance.driver.filtersItself) followLinux(chain.table, info, instance);
    return chain;
  }

  /** Calls vkDestroyDevice down the chain, unless native code has done so, and frees the device's resources. */
  destroy(allocator: bigint): void {
    const { driver, linking } = this.#instance, { elements = [], close } = this.#made;
    const destroy = this.table.get(findCommand("vkDestroyDevice")!.slot);
    if (!this.table.isOrphan) {
      alone(() => invokeAddress(destroy, "v:qq", [this.handle, allocator]));
      giveBackKept(this.table, allocator);
    }
    driver.deviceGone?.(this.handle);
    close?.();
    forgetDevice(elements, this.table);
    linking?.leaveDevice(this.table);
    this.table.close();
  }

  static #fill(instance: InstanceChain, made: MadeDevice, info: bigint): DeviceChain {
    const { table, handle, getDeviceProcAddr } = made;
    if (instance.driver.filtersItself) table.fill(getDeviceProcAddr, handle);
    else fillEnabled(table, getDeviceProcAddr, handle, info);
    stampOver("device", table);
    requireDestroy(table, "vkDestroyDevice", instance.driver, () => {
      made.close?.();
      table.close();
    });
    instance.linking?.enterDevice(table, handle);
    made.filled?.();
    return new DeviceChain(instance, made);
  }
}

/** Calls vkCreateDevice of the driver, for a chain without native layers. */
function ofDriver({ instance, physicalDevice, info, allocator, out }: DeviceRequest): MadeDevice | number {
  const { driver, table: commands } = instance;
  const creation = {
    create: commands.get(findCommand("vkCreateDevice")!.slot),
    enumerate: commands.get(findCommand(DEVICE_EXTENSIONS)!.slot),
    sortsExtensions: driver.sortsExtensions,
  };
  const result = createDriverDevice(creation, physicalDevice, info, allocator, out);
  if (result < 0) return result;
  const handle = madeHandle(driver, out, "VkDevice"), table = deviceTable([], instance.reserve);
  bindDriver(table, driver, instance.handle, handle);
  const getDeviceProcAddr = table.get(table.layout.bottom);
  adoptOrDestroy(driver, handle, table, () => {
    table.close();
    destroyDevice(getDeviceProcAddr, handle, allocator);
    driver.deviceGone?.(handle);
  });
  return { table, handle, getDeviceProcAddr };
}

/** Applies Linux's rules for what an application sees of a new device. */
function followLinux(table: DispatchTable, info: bigint, { apiVersion, hasDebugUtils }: InstanceChain): void {
  table.followLinux(requestedExtensions(info));
  hideNewer(table, info, apiVersion);
  if (!hasDebugUtils) hideExtension(table, DEBUG_UTILS);
}
