import { inFrame } from "../../ffi/arena.ts";
import { invokeAddress, poke64 } from "../../ffi/machine.ts";
import { procOf } from "../../ffi/library/library.ts";
import { setLoaderDataAddress } from "../../ffi/functions/stamp.ts";
import type { Wrapping } from "../emit/wrapping.ts";
import { findCommand } from "../command/registry/table.ts";
import type { Driver } from "../driver/interface/driver.ts";
import type { Told } from "../driver/report/log.ts";
import { driverProc, instanceProcAddr } from "../driver/interface/probe.ts";
import { VK_MAKE_API_VERSION } from "../version.ts";
import { adoptOrDestroy, adoptWrapped, instanceTable, madeHandle, stampOver } from "./object/adopt.ts";
import { INSTANCE_CREATE_INFO, requestedExtensions, requestedVersion } from "../driver/structs/create_info.ts";
import { setBelow } from "./bottom/device_extensions.ts";
import type { DispatchTable } from "./table/dispatch_table.ts";
import { createDriverInstance } from "./bottom/driver_instance.ts";
import type { ChainElement } from "./element.ts";
import { DEBUG_UTILS, hideDisabled } from "./table/enabled.ts";
import { giveBackKept, keeping } from "./object/kept_memory.ts";
import { LayerDevices, Links } from "./link/links.ts";
import { DriverTerminators, type LayerListing } from "./bottom/terminators.ts";
import { wrapDevices } from "./object/wrapping.ts";

/** Vulkan 1.3. From this version on, an instance does not answer for commands that need no instance. */
const STRICT_VERSION = VK_MAKE_API_VERSION(0, 1, 3, 0);

/** The raw arguments of a vkCreateInstance that goes down a chain. */
export interface InstanceRequest {
  /** The driver at the bottom. */
  readonly driver: Driver;
  /** Native layers, top to bottom. */
  readonly elements: readonly ChainElement[];
  /** Address of the VkInstanceCreateInfo. */
  readonly info: bigint;
  /** The application's VkAllocationCallbacks; 0n for none. */
  readonly allocator: bigint;
  /** Address for the new handle. */
  readonly out: bigint;
  /** Answers native layers that list layers. */
  readonly listLayers?: LayerListing;
}

/** The links of native layers, for the life of their instance. */
interface Linkage {
  /** The functions below the lowest layer. */
  readonly terminators: DriverTerminators;
  readonly links: Links;
  readonly layerDevices: LayerDevices;
  /** The wrapping of the physical devices, if layers may list some of their own. */
  readonly wrapping?: Wrapping;
}

/** A VkInstance with its dispatch table and, if native layers are above the driver, their links. */
export class InstanceChain {
  /** The driver at the bottom. */
  readonly driver: Driver;
  /** Native layers, top to bottom. */
  readonly elements: readonly ChainElement[];
  /** The table to which word 0 of the instance and of its physical devices points. */
  readonly table: DispatchTable;
  /** The handle for the application. */
  readonly handle: bigint;
  /** The Vulkan version that the application requested; 0 if it gave none. */
  readonly apiVersion: number;
  /** Whether the instance enabled VK_EXT_debug_utils, which also has device commands. */
  readonly hasDebugUtils: boolean;
  readonly #linkage: Linkage | undefined;

  private constructor(
    { driver, elements, info }: InstanceRequest,
    table: DispatchTable,
    handle: bigint,
    linkage?: Linkage,
  ) {
    this.driver = driver;
    this.elements = elements;
    this.apiVersion = requestedVersion(info);
    this.hasDebugUtils = requestedExtensions(info).includes(DEBUG_UTILS);
    this.table = table;
    table.setDriver(driver.search ? "" : driver.path); // looking what paths there are now takes its time
    this.handle = handle;
    this.#linkage = linkage;
  }

  /** Calls vkCreateInstance down the chain. Returns the chain, or the VkResult if that is an error. */
  static create(request: InstanceRequest): InstanceChain | number {
    const make = request.elements.length === 0 ? InstanceChain.#ofDriver : InstanceChain.#throughLayers;
    const chain = keeping("VkInstance", request.allocator, () => make(request));
    if (typeof chain !== "number" && !request.driver.filtersItself) chain.#followLinux(request.info);
    return chain;
  }

  /** The functions below the lowest native layer; `undefined` without one. */
  get terminators(): DriverTerminators | undefined {
    return this.#linkage?.terminators;
  }

  /** The wrapping of the physical devices, if layers may list some of their own. */
  get wrapping(): Wrapping | undefined {
    return this.#linkage?.wrapping;
  }

  /** Calls vkDestroyInstance down the chain, unless native code has done so, and frees the instance's resources. */
  destroy(allocator: bigint): void {
    const destroy = this.table.get(findCommand("vkDestroyInstance")!.slot);
    if (!this.table.isOrphan) {
      invokeAddress(destroy, "v:qq", [this.handle, allocator]);
      giveBackKept(this.table, allocator);
    }
    // otherwise the terminators report it: only once, and for the driver's own instance
    if (!this.#linkage) this.driver.instanceGone?.(this.handle);
    else close(this.#linkage);
    this.table.close();
  }

  /** Sends a message of the loader to the listeners of the instance. */
  tell(message: Told): void {
    this.driver.tell?.(this.terminators?.instance ?? this.handle, message);
  }

  /** Applies Linux's rules for what an application sees of a new instance. */
  #followLinux(info: bigint): void {
    this.table.followLinux(requestedExtensions(info));
    hideDisabled(this.table, info);
    if (this.apiVersion < STRICT_VERSION) this.table.allowGlobals();
  }

  static #ofDriver(request: InstanceRequest): InstanceChain | number {
    const { driver, info, allocator, out } = request;
    const result = createDriverInstance(driver, info, allocator, out);
    if (result < 0) return result;
    const handle = madeHandle(driver, out, "VkInstance"), table = instanceTable();
    adoptOrDestroy(driver, handle, table, () => {
      table.close();
      invokeAddress(driverProc(driver, handle, "vkDestroyInstance"), "v:qq", [handle, allocator]);
      driver.instanceGone?.(handle);
    });
    table.fill(instanceProcAddr(driver, handle), handle);
    stampOver("instance", table);
    // A driver may share its physical devices among instances, so their table is uncertain.
    const enumerate = table.get(findCommand("vkEnumerateDeviceExtensionProperties")!.slot);
    setBelow(table, enumerate, enumerate);
    return new InstanceChain(request, table, handle);
  }

  static #throughLayers(request: InstanceRequest): InstanceChain | number {
    const { driver, elements, info, allocator, out } = request;
    const table = instanceTable(elements), linkage = linkLayers(request, table), { terminators, links } = linkage;
    const result = terminators.expecting(links.standIn, () => callTop(elements[0], links, info, allocator));
    if (result < 0) {
      close(linkage);
      table.close();
      return result;
    }
    const { handle } = links, top = elements[0].getInstanceProcAddr;
    adoptWrapped(handle, table, "VkInstance", elements, () => {
      invokeAddress(procOf(top, handle, "vkDestroyInstance"), "v:qq", [handle, allocator]);
      close(linkage);
      table.close();
    });
    poke64(out, handle);
    table.fill(top, handle);
    const wrapping = driver.filtersItself ? undefined : wrapDevices(table, elements, driver);
    return new InstanceChain(request, table, handle, { ...linkage, wrapping });
  }
}

/** Makes the links of an instance's layers before its creation. */
function linkLayers({ driver, elements, listLayers }: InstanceRequest, table: DispatchTable): Linkage {
  const terminators = new DriverTerminators(driver, table, elements, listLayers);
  const { getInstanceProcAddr, getPhysicalDeviceProcAddr } = terminators;
  const layerDevices = new LayerDevices(elements, terminators);
  const below = { getInstanceProcAddr, getDeviceProcAddr: 0n, getPhysicalDeviceProcAddr };
  const callbacks = { ...layerDevices.callbacks, setLoaderData: setLoaderDataAddress() };
  return { terminators, layerDevices, links: new Links(47, elements, below, callbacks, table.address) };
}

function close({ layerDevices, terminators, links, wrapping }: Linkage): void {
  for (const part of [layerDevices, terminators, links, wrapping]) part?.close();
}

function callTop(top: ChainElement, links: Links, info: bigint, allocator: bigint): number {
  return inFrame(() => {
    // Queried with a placeholder instance, because old layers return nothing for NULL.
    const create = procOf(top.getInstanceProcAddr, links.standIn, "vkCreateInstance");
    const linked = links.linked(info, INSTANCE_CREATE_INFO);
    return invokeAddress(create, "s:qqq", [linked, allocator, links.openOut()]) as number;
  });
}
