import { type ExportedLibrary, exportLibrary } from "../../../ffi/functions/exported.ts";
import { createLookup, type Lookup } from "../../../ffi/functions/lookup.ts";
import { invokeAddress, peek64 } from "../../../ffi/machine.ts";
import { createThunk, type Thunk } from "../../../ffi/thunk/thunk.ts";
import {
  createDriverDevice,
  createDriverInstance,
  DEVICE_EXTENSIONS,
  deviceExtensionTerminators,
} from "./driver_instance.ts";
import type { ChainElement } from "../element.ts";
import { refusingInCode } from "../failed_creation.ts";
import {
  adoptOrDestroy,
  bindDriver,
  checkStandIn,
  destroyDevice,
  deviceTable,
  fillHidden,
  madeHandle,
} from "../object/adopt.ts";
import type { DispatchTable } from "../table/dispatch_table.ts";
import { stampsOf, tableLayout } from "../table/table_layout.ts";
import type { Driver } from "../../driver/interface/driver.ts";
import { deviceProcAddr, driverProc, instanceProcAddr } from "../../driver/interface/probe.ts";

const INSTANCE_LAYERS = "vkEnumerateInstanceLayerProperties";
/** The name by which layers query the next physical-device lookup if their link has none. */
const PHYSICAL_DEVICE = "vk_layerGetPhysicalDeviceProcAddr";

/** Answers vkEnumerateInstanceLayerProperties, by the addresses of its count and of its array. */
export type LayerListing = (count: bigint, out: bigint) => number;

/**
 * The functions between the lowest native layer and the driver: the layer's
 * GetInstanceProcAddr, and the creation commands behind it, which store our
 * dispatch keys before they return into the layer. With the driver's own
 * functions, the layer would see one key for everything.
 */
export class DriverTerminators implements Disposable {
  readonly #driver: Driver;
  readonly #instanceTable: DispatchTable;
  readonly #elements: readonly ChainElement[];
  readonly #thunks: Thunk[] = [];
  readonly #lookup: Lookup;
  /** Tables of devices that were created through the chain and not yet claimed by their creator. */
  readonly #made = new Map<bigint, DispatchTable>();
  /** The placeholders of running creations, at the addresses for the new handles. */
  readonly #standIns = new Set<bigint>();
  #instance = 0n;

  /**
   * Makes the terminators of one instance below these layers. Its dispatch
   * table exists and is still empty. `listLayers` answers the layers'
   * vkEnumerateInstanceLayerProperties, which no driver has. Layers may call it
   * while an instance is created; it fails on threads other than this one.
   */
  constructor(
    driver: Driver,
    instanceTable: DispatchTable,
    elements: readonly ChainElement[],
    listLayers?: LayerListing,
  ) {
    this.#driver = driver;
    this.#elements = elements;
    this.#instanceTable = instanceTable;
    const createInstance = this.#thunk("s:qqq", (info, allocator, out) => this.#createInstance(info, allocator, out));
    const createDevice = this.#thunk(
      "s:qqqq",
      (gpu, info, allocator, out) => this.#createDevice(gpu, info, allocator, out),
    );
    const stamped = stampsOf("instance").map(({ name, address }): [string, bigint] => [name, address]);
    const names: [string, bigint][] = [["vkCreateInstance", createInstance], ["vkCreateDevice", createDevice]];
    if (listLayers) names.push([INSTANCE_LAYERS, this.#thunk("s:qq", listLayers)]);
    if (driver.getPhysicalDeviceProcAddr) names.push([PHYSICAL_DEVICE, driver.getPhysicalDeviceProcAddr]);
    this.#lookup = createLookup([...driver.given, ...names, ...stamped], driver.getInstanceProcAddr);
    this.#lookup.set("vkGetInstanceProcAddr", this.#lookup.address);
  }

  /** Address of the GetInstanceProcAddr for the lowest layer. */
  get getInstanceProcAddr(): bigint {
    return this.#lookup.address;
  }

  /** The driver's own instance; 0n before its creation. */
  get instance(): bigint {
    return this.#instance;
  }

  /** The driver's own vkGetDeviceProcAddr. Device commands without hooks then never enter the loader. */
  get getDeviceProcAddr(): bigint {
    const own = driverProc(this.#driver, this.#instance, "vkGetDeviceProcAddr");
    return this.#driver.deviceProcAddr ? bottomProcAddr() ?? own : own;
  }

  /** The driver's lookup for unknown physical-device commands; 0n if there is none. */
  get getPhysicalDeviceProcAddr(): bigint {
    return this.#driver.getPhysicalDeviceProcAddr;
  }

  /**
   * Returns the table of a device just created through the chain, by the device
   * or by a layer's wrapper of it. The caller then owns the table.
   */
  claim(device: bigint): DispatchTable | undefined {
    const key = peek64(device);
    for (const [made, table] of this.#made) {
      if (made !== device && table.address !== key) continue;
      this.#made.delete(made);
      return table;
    }
  }

  /** Calls down with `standIn` at the address for the handle. A layer that changed it is stopped. */
  expecting<T>(standIn: bigint, call: () => T): T {
    this.#standIns.add(standIn);
    try {
      return call();
    } finally {
      this.#standIns.delete(standIn);
    }
  }

  /** Frees the machine code and its data. No layer may call afterwards. */
  close(): void {
    if (this.#instance !== 0n) this.#driver.instanceGone?.(this.#instance);
    this.#lookup.free();
    for (const thunk of this.#thunks) thunk.free();
    for (const table of this.#made.values()) table.close();
    this.#made.clear();
  }

  /** Frees everything at the end of a `using` scope. */
  [Symbol.dispose](): void {
    this.close();
  }

  #thunk(signature: string, handler: (...args: bigint[]) => number): bigint {
    const thunk = createThunk(signature, refusingInCode(handler as (...args: unknown[]) => unknown));
    this.#thunks.push(thunk);
    return thunk.address;
  }

  #createInstance(info: bigint, allocator: bigint, out: bigint): number {
    checkStandIn(this.#standIns, "VkInstance", out, this.#elements);
    const result = createDriverInstance(this.#driver, info, allocator, out);
    if (result < 0) return result;
    this.#instance = madeHandle(this.#driver, out, "VkInstance", this.#standIns);
    adoptOrDestroy(this.#driver, this.#instance, this.#instanceTable, () => {
      invokeAddress(driverProc(this.#driver, this.#instance, "vkDestroyInstance"), "v:qq", [this.#instance, allocator]);
    });
    this.#lookup.setMiss(instanceProcAddr(this.#driver, this.#instance));
    fillHidden("instance", this.#instanceTable, (name) => driverProc(this.#driver, this.#instance, name));
    const enumerate = driverProc(this.#driver, this.#instance, DEVICE_EXTENSIONS);
    const [listing, ...others] = deviceExtensionTerminators(enumerate, this.#elements, this.#instanceTable);
    this.#thunks.push(listing, ...others);
    this.#lookup.set(DEVICE_EXTENSIONS, listing.address);
    return result;
  }

  #createDevice(gpu: bigint, info: bigint, allocator: bigint, out: bigint): number {
    checkStandIn(this.#standIns, "VkDevice", out, this.#elements);
    const create = driverProc(this.#driver, this.#instance, "vkCreateDevice");
    const enumerate = driverProc(this.#driver, this.#instance, DEVICE_EXTENSIONS);
    const { sortsExtensions } = this.#driver;
    const result = createDriverDevice({ create, enumerate, sortsExtensions }, gpu, info, allocator, out);
    if (result < 0) return result;
    const device = madeHandle(this.#driver, out, "VkDevice", this.#standIns), table = deviceTable(this.#elements);
    adoptOrDestroy(this.#driver, device, table, () => {
      table.close();
      destroyDevice(deviceProcAddr(this.#driver, this.#instance, device), device, allocator);
      this.#driver.deviceGone?.(device);
    });
    bindDriver(table, this.#driver, this.#instance, device);
    this.#made.set(device, table);
    return result;
  }
}

let made: ExportedLibrary | null | undefined;

/**
 * Returns the vkGetDeviceProcAddr for the lowest native layer above a driver
 * that answers differently for each device. The function calls that of the
 * given device. Made at the first call; `undefined` where emitted code cannot
 * be used.
 */
export function bottomProcAddr(): bigint | undefined {
  if (made === undefined) {
    const offset = 8 * tableLayout("device").bottom;
    made = exportLibrary({ trampolines: [["vkGetDeviceProcAddr", offset]] }) ?? null;
  }
  return made?.address("vkGetDeviceProcAddr");
}
