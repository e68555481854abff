/**
 * The way of a call through the layers of an instance.
 *
 * ```text
 *   application       vkCreateBuffer(device, …)
 *        |            word 0 of the handle is the address of the dispatch table
 *        v
 *   dispatch table    for each command the address of the topmost function:
 *        |
 *        +--> TypeScript layers (thunks, layers/hooks)     only the commands that a layer hooks
 *        |
 *        +--> native layer 1 --> native layer 2            each finds the next by the link that it got (link/links.ts)
 *                                      |
 *                                      v
 *                               terminators (bottom/)      commands that make or list objects: new handles get their
 *                                      |                   dispatch key here, before the caller sees them
 *                                      v
 *                               bottom layers, driver      the window system is a bottom layer
 * ```
 *
 * A native layer is built with a list of links, the topmost first. Each layer takes its link and moves the list on before
 * it calls the next vkCreateInstance:
 *
 * ```text
 *   VkInstanceCreateInfo.pNext --> … --> LINK_INFO --> link 1 --> link 2 --> link 3
 *                                                     next of     next of    next of
 *                                                     layer 1     layer 2    layer 3 = the terminators
 * ```
 *
 * The last link never names a driver's own functions: a layer would ask the driver for commands that only a loader has.
 * Without native layers there are no links, and the table holds the driver's functions themselves.
 *
 * @module
 */

import type { MemoryReserve } from "../../ffi/block.ts";
import { invokeAddress } from "../../ffi/machine.ts";
import { findCommand } from "../command/registry/table.ts";
import type { Driver } from "../driver/interface/driver.ts";
import type { Told } from "../driver/report/log.ts";
import { driverProc, instanceProcAddr } from "../driver/interface/probe.ts";
import { VK_MAKE_API_VERSION } from "../version.ts";
import { adoptOrDestroy, instanceTable, madeHandle, requireDestroy, stampOver } from "./object/adopt.ts";
import { requestedExtensions, requestedVersion } from "../driver/structs/create_info.ts";
import type { DispatchTable } from "./table/dispatch_table.ts";
import { alone } from "./installed.ts";
import { createDriverInstance, DEVICE_EXTENSIONS } from "./bottom/driver_instance.ts";
import type { ChainElement } from "./element.ts";
import { DEBUG_UTILS, hideDisabled } from "./table/enabled.ts";
import { giveBackKept, keeping } from "./object/kept_memory.ts";
import type { ChainLinking, InstanceRequest, LinkedInstance, LinkedLayers } from "./linking.ts";

/** Vulkan 1.3. From this version on, an instance does not answer for commands that need no instance. */
const STRICT_VERSION = VK_MAKE_API_VERSION(0, 1, 3, 0);

/** A new instance, with links if native layers are above the driver. */
type MadeInstance = Pick<LinkedInstance, "table" | "handle"> & Partial<LinkedInstance>;

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
  /** The links of the native layers; `undefined` without layers. */
  readonly layers: LinkedLayers | undefined;
  /** The links of the chains of the instance and of its devices that native code needs. */
  readonly linking: ChainLinking | undefined;
  /** Keeps the memory of tables for later ones. */
  readonly reserve: MemoryReserve | undefined;

  private constructor(
    { driver, elements, info, linking, reserve }: InstanceRequest,
    { table, handle, layers }: MadeInstance,
  ) {
    this.driver = driver;
    this.elements = elements;
    this.apiVersion = requestedVersion(info);
    this.hasDebugUtils = requestedExtensions(info).includes(DEBUG_UTILS);
    this.table = table;
    table.setDriver(driver.search ? "" : driver.path); // looking what paths there are now takes its time
    this.handle = handle;
    this.layers = layers;
    this.linking = linking;
    this.reserve = reserve;
  }

  /** Calls vkCreateInstance down the chain. Returns the chain, or the VkResult if that is an error. */
  static create(request: InstanceRequest): InstanceChain | number {
    const make = request.elements.length === 0 ? ofDriver : request.linking!.createInstance;
    const made = alone(() =>
      keeping<MadeInstance>("VkInstance", request.allocator, () => {
        const made = make(request);
        if (typeof made !== "number") {
          requireDestroy(made.table, "vkDestroyInstance", request.driver, () => releasing(made));
        }
        return made;
      })
    );
    if (typeof made === "number") return made;
    const chain = new InstanceChain(request, made);
    if (!request.driver.filtersItself) chain.#followLinux(request.info);
    return chain;
  }

  /** Calls vkDestroyInstance down the chain, unless native code has done so, and frees the instance's resources. */
  destroy(allocator: bigint): void {
    const destroy = this.table.get(findCommand("vkDestroyInstance")!.slot);
    if (!this.table.isOrphan) {
      alone(() => invokeAddress(destroy, "v:qq", [this.handle, allocator]));
      giveBackKept(this.table, allocator);
    }
    // otherwise the terminators report it: only once, and for the driver's own instance
    if (!this.layers) this.driver.instanceGone?.(this.handle);
    else this.layers.close();
    this.table.close();
  }

  /** Sends a message of the loader to the listeners of the instance. */
  tell(message: Told): void {
    this.driver.tell?.(this.layers?.driverInstance ?? this.handle, message);
  }

  /** Applies Linux's rules for what an application sees of a new instance. */
  #followLinux(info: bigint): void {
    this.table.followLinux(requestedExtensions(info));
    hideDisabled(this.table, info);
    if (this.apiVersion < STRICT_VERSION) this.table.allowGlobals();
  }
}

function releasing({ layers, table }: MadeInstance): void {
  layers?.close();
  table.close();
}

/** Calls vkCreateInstance of the driver, for a chain without native layers. */
function ofDriver(request: InstanceRequest): MadeInstance | number {
  const { driver, info, allocator, out, elements, reserve } = request;
  const result = createDriverInstance(driver, info, allocator, out);
  if (result < 0) return result;
  const handle = madeHandle(driver, out, "VkInstance"), table = instanceTable(elements, reserve);
  adoptOrDestroy(driver, handle, table, () => {
    table.close();
    invokeAddress(driverProc(driver, handle, "vkDestroyInstance"), "v:qq", [handle, allocator]);
    driver.instanceGone?.(handle);
  });
  table.fill(instanceProcAddr(driver, handle), handle);
  stampOver("instance", table);
  // A driver may share its physical devices among instances, so their table is uncertain.
  const enumerate = table.get(findCommand(DEVICE_EXTENSIONS)!.slot);
  table.setBelow(enumerate, enumerate);
  return { table, handle };
}
