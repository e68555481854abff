import { inFrame } from "../../../ffi/arena.ts";
import { setLoaderDataAddress } from "../../../ffi/functions/stamp.ts";
import { procOf } from "../../../ffi/library/library.ts";
import { invokeAddress, poke64 } from "../../../ffi/machine.ts";
import { findCommand } from "../../command/registry/table.ts";
import type { Driver } from "../../driver/interface/driver.ts";
import { INSTANCE_CREATE_INFO, withGroup } from "../../driver/structs/create_info.ts";
import type { Wrapping } from "../../emit/wrapping.ts";
import { DriverTerminators } from "../bottom/terminators.ts";
import { type ChainElement, deviceElements } from "../element.ts";
import type {
  ChainLinking,
  DeviceCall,
  InstanceRequest,
  LinkedDevice,
  LinkedInstance,
  LinkedLayers,
} from "../linking.ts";
import { adoptWrapped, destroyDevice, deviceTable, instanceTable, requireCreate } from "../object/adopt.ts";
import { nameWrapped, wrapDevices } from "../object/wrapping.ts";
import { enterDevice, leaveDevice } from "../table/device_trampolines.ts";
import type { DispatchTable } from "../table/dispatch_table.ts";
import { createLinked, LayerDevices, Links } from "./links.ts";
import { VK_STRUCTURE_TYPE_LOADER_INSTANCE_CREATE_INFO } from "../../gen/native_gen.ts";

/** The functions of chains for native layers and joined drivers. */
export const chainLinking: ChainLinking = { createInstance, enterDevice, leaveDevice };

function createInstance(request: InstanceRequest): LinkedInstance | number {
  const { driver, elements, info, allocator, out, reserve } = request;
  const table = instanceTable(elements, reserve), layers = new NativeLinks(request, table);
  const release = () => {
    layers.close();
    table.close();
  };
  const result = orRelease(release, () => layers.create(info, allocator));
  if (result < 0) {
    release();
    return result;
  }
  const { handle } = layers, top = elements[0].getInstanceProcAddr;
  adoptWrapped(layers, table, "VkInstance", elements, (isThere) => {
    if (isThere) invokeAddress(procOf(top, handle, "vkDestroyInstance"), "v:qq", [handle, allocator]);
    release();
  });
  poke64(out, handle);
  table.fill(top, handle);
  if (!driver.filtersItself) layers.wrap(table);
  return { table, handle, layers };
}

/** Calls a function, and releases what was made for it if it throws. */
function orRelease<Value>(release: () => void, call: () => Value): Value {
  try {
    return call();
  } catch (error) {
    release();
    throw error;
  }
}

/** The links of the native layers of one instance, and the functions below the lowest layer. */
class NativeLinks implements LinkedLayers {
  readonly #driver: Driver;
  readonly #elements: readonly ChainElement[];
  readonly #terminators: DriverTerminators;
  readonly #links: Links;
  readonly #layerDevices: LayerDevices;
  /** The wrapping of the physical devices, if layers may list some of their own. */
  #wrapping: Wrapping | undefined;

  /** Makes the links before the creation of the instance. */
  constructor({ driver, elements, listLayers }: InstanceRequest, table: DispatchTable) {
    this.#driver = driver;
    this.#elements = elements;
    this.#terminators = new DriverTerminators(driver, table, elements, listLayers);
    this.#layerDevices = new LayerDevices(elements, this.#terminators);
    const { getInstanceProcAddr, getPhysicalDeviceProcAddr } = this.#terminators;
    const below = { getInstanceProcAddr, getDeviceProcAddr: 0n, getPhysicalDeviceProcAddr };
    const callbacks = { ...this.#layerDevices.callbacks, setLoaderData: setLoaderDataAddress() };
    this.#links = new Links(VK_STRUCTURE_TYPE_LOADER_INSTANCE_CREATE_INFO, elements, below, callbacks, table.address);
  }

  get driverInstance(): bigint {
    return this.#terminators.instance;
  }

  /** The handle that the topmost layer has returned. */
  get handle(): bigint {
    return this.#links.handle;
  }

  /** The placeholder for the handle. */
  get standIn(): bigint {
    return this.#links.standIn;
  }

  /** Calls vkCreateInstance of the topmost layer. */
  create(info: bigint, allocator: bigint): number {
    const links = this.#links, [top] = this.#elements;
    return this.#terminators.expecting(links.standIn, () =>
      inFrame(() => {
        // Queried with a placeholder instance, because old layers return nothing for NULL.
        const found = procOf(top.getInstanceProcAddr, links.standIn, "vkCreateInstance");
        const create = requireCreate(found, "vkCreateInstance", this.#elements);
        const linked = links.linked(info, INSTANCE_CREATE_INFO);
        return invokeAddress(create, "s:qqq", [linked, allocator, links.openOut()]) as number;
      }));
  }

  /** Wraps the physical devices, if layers list some of their own. */
  wrap(table: DispatchTable): void {
    this.#wrapping = wrapDevices(table, this.#elements, this.#driver);
  }

  createDevice(commands: DispatchTable, call: DeviceCall, out: bigint): LinkedDevice | number {
    const elements = deviceElements(this.#elements), terminators = this.#terminators, wrapping = this.#wrapping;
    const found = commands.get(findCommand("vkCreateDevice")!.slot);
    const create = requireCreate(found, "vkCreateDevice", this.#elements);
    const links = withGroup(
      call.info,
      (gpu) => wrapping?.find(gpu) ?? gpu,
      () => createLinked(create, elements, terminators, call),
    );
    if (typeof links === "number") return links;
    const { handle } = links, getDeviceProcAddr = elements[0]?.getDeviceProcAddr ?? terminators.getDeviceProcAddr;
    const table = terminators.claim(handle) ?? deviceTable(elements);
    adoptWrapped(links, table, "VkDevice", elements, (isThere) => {
      if (isThere) destroyDevice(getDeviceProcAddr, handle, call.allocator);
      if (isThere) this.#driver.deviceGone?.(handle);
      table.close();
      links.close();
    });
    poke64(out, handle);
    const filled = () => wrapping && nameWrapped(table, wrapping);
    return { table, handle, getDeviceProcAddr, elements, filled, close: () => links.close() };
  }

  close(): void {
    for (const part of [this.#layerDevices, this.#terminators, this.#links, this.#wrapping]) part?.close();
  }
}
