import { arena, inFrame } from "../../../ffi/arena.ts";
import { NativeBlock } from "../../../ffi/block.ts";
import { setLoaderDataAddress } from "../../../ffi/functions/stamp.ts";
import { procOf } from "../../../ffi/library/library.ts";
import { invokeAddress, poke64 } from "../../../ffi/machine.ts";
import { createThunk, type Thunk } from "../../../ffi/thunk/thunk.ts";
import { DEVICE_CREATE_INFO } from "../../driver/structs/create_info.ts";
import type { DriverTerminators } from "../bottom/terminators.ts";
import { type ChainElement, deviceElements, forgetDevice } from "../element.ts";
import type { DeviceCall } from "../linking.ts";
import {
  offsetsOfVkLayerCreateDeviceCallbacks,
  offsetsOfVkLayerInstanceCreateInfo,
  offsetsOfVkLayerInstanceLink,
  sizeOfVkLayerInstanceCreateInfo,
  sizeOfVkLayerInstanceLink,
  VK_LAYER_LINK_INFO,
  VK_LOADER_DATA_CALLBACK,
  VK_LOADER_FEATURES,
  VK_LOADER_LAYER_CREATE_DEVICE_CALLBACK,
  VK_STRUCTURE_TYPE_LOADER_DEVICE_CREATE_INFO,
  VK_STRUCTURE_TYPE_LOADER_INSTANCE_CREATE_INFO,
} from "../../gen/native_gen.ts";

const INSTANCE = VK_STRUCTURE_TYPE_LOADER_INSTANCE_CREATE_INFO, DEVICE = VK_STRUCTURE_TYPE_LOADER_DEVICE_CREATE_INFO;
/** The structs in front of the application's chain, first to last. */
const STRUCTS = {
  [INSTANCE]: [VK_LOADER_FEATURES, VK_LOADER_LAYER_CREATE_DEVICE_CALLBACK, VK_LOADER_DATA_CALLBACK, VK_LAYER_LINK_INFO],
  [DEVICE]: [VK_LOADER_DATA_CALLBACK, VK_LAYER_LINK_INFO],
} as const;
/** Bytes of a link node and of an info struct: those of instances, which hold those of devices as well. */
const NODE_SIZE = sizeOfVkLayerInstanceLink, INFO_SIZE = sizeOfVkLayerInstanceCreateInfo;
/** The structs of devices have the same places. */
const INFO = offsetsOfVkLayerInstanceCreateInfo, NODE = offsetsOfVkLayerInstanceLink;
/** Offsets of the room for the handle, of the placeholder for the handle, and of the info structs. */
const OUT = 0, STAND_IN = 16, INFOS = 32;

/** The functions below the last element: the loader's terminators. */
interface Terminators {
  /** Address of the GetInstanceProcAddr for the lowest layer. */
  readonly getInstanceProcAddr: bigint;
  /** For a device chain, address of the GetDeviceProcAddr for the lowest layer; 0n for an instance chain. */
  readonly getDeviceProcAddr: bigint;
  /**
   * For an instance chain, address of the driver's lookup for unknown
   * physical-device commands; 0n if there is none.
   */
  readonly getPhysicalDeviceProcAddr: bigint;
}

/** The addresses of functions that layers may call. */
interface LayerCallbacks {
  /** `VkResult (VkInstance or VkDevice, void *object)`: gives an object its dispatch key. */
  readonly setLoaderData: bigint;
  /** For an instance chain, pfnLayerCreateDevice. */
  readonly createDevice?: bigint;
  /** For an instance chain, pfnLayerDestroyDevice. */
  readonly destroyDevice?: bigint;
}

/**
 * The link structs of one vkCreateInstance or vkCreateDevice: the loader's
 * callback structs and a link struct for the front of the application's pNext
 * chain, and one node per layer with the functions below it. Layers write to
 * them while they advance, so each call has its own. Some layers read them
 * later, so they live as long as the object.
 */
export class Links implements Disposable {
  readonly #memory: NativeBlock;
  readonly #last: number;

  /**
   * Builds the structs of a chain, top element first; `sType` says of
   * an instance or of a device. `key` is word 0 of the placeholder for the
   * handle, for layers that read it before there is a handle.
   */
  constructor(
    sType: typeof INSTANCE | typeof DEVICE,
    elements: readonly ChainElement[],
    below: Terminators,
    callbacks: LayerCallbacks,
    key = 0n,
  ) {
    const structs = STRUCTS[sType].filter((each) => each !== VK_LAYER_LINK_INFO || elements.length > 0);
    const nodes = INFOS + INFO_SIZE * structs.length;
    this.#memory = new NativeBlock(nodes + NODE_SIZE * elements.length);
    this.#last = INFOS + INFO_SIZE * (structs.length - 1);
    const { view, address } = this.#memory, at = (offset: number) => address + BigInt(offset);
    view.setBigUint64(STAND_IN, key, true);
    structs.forEach((layerFunction, index) => {
      const offset = INFOS + INFO_SIZE * index;
      this.#writeInfo(offset, sType, layerFunction, callbacks, at(nodes));
      if (offset !== this.#last) view.setBigUint64(offset + INFO.pNext, at(offset + INFO_SIZE), true);
    });
    elements.forEach((_, index) => {
      const offset = nodes + NODE_SIZE * index, rest = elements.slice(index + 1);
      this.#writeNode(offset, sType, rest, below);
      if (rest.length > 0) view.setBigUint64(offset + NODE.pNext, at(offset + NODE_SIZE), true);
    });
  }

  /**
   * Copies a create info of `size` bytes into the arena, with the structs in
   * front of its pNext chain. Returns the copy's address.
   */
  linked(info: bigint, size: number): bigint {
    const memory = arena(), copy = memory.copyIn(info, size);
    this.#memory.view.setBigUint64(this.#last + INFO.pNext, memory.view.getBigUint64(copy + INFO.pNext, true), true);
    memory.view.setBigUint64(copy + INFO.pNext, this.#memory.address + BigInt(INFOS), true);
    return memory.address(copy);
  }

  /** The placeholder for the handle. A layer must not replace it before it calls down. */
  get standIn(): bigint {
    return this.#memory.address + BigInt(STAND_IN);
  }

  /** Returns the address for the handle, which has the placeholder first. */
  openOut(): bigint {
    this.#memory.view.setBigUint64(OUT, this.standIn, true);
    return this.#memory.address + BigInt(OUT);
  }

  /** The returned handle. */
  get handle(): bigint {
    return this.#memory.view.getBigUint64(OUT, true);
  }

  /** Frees the structs. */
  close(): void {
    this.#memory.close();
  }

  /** Frees the structs at the end of a `using` scope. */
  [Symbol.dispose](): void {
    this.close();
  }

  #writeInfo(at: number, sType: number, layerFunction: number, callbacks: LayerCallbacks, nodes: bigint): void {
    const { view } = this.#memory;
    view.setUint32(at, sType, true);
    view.setUint32(at + INFO.function, layerFunction, true);
    if (layerFunction === VK_LAYER_LINK_INFO) view.setBigUint64(at + INFO.u, nodes, true);
    if (layerFunction === VK_LOADER_DATA_CALLBACK) view.setBigUint64(at + INFO.u, callbacks.setLoaderData, true);
    if (layerFunction !== VK_LOADER_LAYER_CREATE_DEVICE_CALLBACK) return; // VK_LOADER_FEATURES: none, because they are about Windows
    view.setBigUint64(at + INFO.u, callbacks.createDevice ?? 0n, true);
    view.setBigUint64(
      at + INFO.u + offsetsOfVkLayerCreateDeviceCallbacks.pfnLayerDestroyDevice,
      callbacks.destroyDevice ?? 0n,
      true,
    );
  }

  /** A layer without a lookup for physical-device commands is skipped: the next one below that has one counts. */
  #writeNode(at: number, sType: number, rest: readonly ChainElement[], below: Terminators): void {
    const { view } = this.#memory, next = rest[0] ?? below;
    view.setBigUint64(at + NODE.pfnNextGetInstanceProcAddr, next.getInstanceProcAddr, true);
    const physicalDevice = rest.find((element) => element.getPhysicalDeviceProcAddr)?.getPhysicalDeviceProcAddr;
    const other = sType === DEVICE ? next.getDeviceProcAddr : physicalDevice ?? below.getPhysicalDeviceProcAddr;
    view.setBigUint64(at + NODE.pfnNextGetPhysicalDeviceProcAddr, other, true);
  }
}

/**
 * Calls a vkCreateDevice with links to its element and those below. Returns its
 * VkResult if that is an error; otherwise the links, which hold the handle and
 * must live as long as the device.
 */
export function createLinked(
  create: bigint,
  elements: readonly ChainElement[],
  terminators: DriverTerminators,
  { physicalDevice, info, allocator }: DeviceCall,
): Links | number {
  const links = new Links(DEVICE, elements, terminators, { setLoaderData: setLoaderDataAddress() });
  return inFrame(() => {
    const args = [physicalDevice, links.linked(info, DEVICE_CREATE_INFO), allocator, links.openOut()];
    const result = terminators.expecting(links.standIn, () => invokeAddress(create, "s:qqqq", args) as number);
    if (result >= 0) return links;
    links.close();
    return result;
  });
}

/**
 * The devices that layers of an instance create for themselves through the
 * layers below them: pfnLayerCreateDevice and pfnLayerDestroyDevice.
 */
export class LayerDevices implements Disposable {
  readonly #elements: readonly ChainElement[];
  readonly #terminators: DriverTerminators;
  readonly #create: Thunk;
  readonly #destroy: Thunk;
  readonly #links = new Map<bigint, Links>();

  /** Makes callbacks for the layers of one instance, top to bottom. */
  constructor(elements: readonly ChainElement[], terminators: DriverTerminators) {
    this.#elements = elements;
    this.#terminators = terminators;
    this.#create = createThunk("s:qqqqqqq", (...args) => this.#createDevice(args as bigint[]));
    this.#destroy = createThunk("v:qqq", (...args) => this.#destroyDevice(args as bigint[]));
  }

  /** The addresses of the callbacks. */
  get callbacks(): { readonly createDevice: bigint; readonly destroyDevice: bigint } {
    return { createDevice: this.#create.address, destroyDevice: this.#destroy.address };
  }

  /** Frees what is left. No layer may call afterwards. */
  close(): void {
    for (const links of this.#links.values()) links.close();
    this.#links.clear();
    this.#create.free();
    this.#destroy.free();
  }

  /** Frees everything at the end of a `using` scope. */
  [Symbol.dispose](): void {
    this.close();
  }

  /** Goes through the layers below the one whose GetInstanceProcAddr was passed; through all if none was. */
  #createDevice([instance, gpu, info, allocator, out, layer, nextOut]: bigint[]): number {
    const index = this.#elements.findIndex(({ getInstanceProcAddr }) => getInstanceProcAddr === layer);
    const below = this.#elements.slice(index + 1), elements = deviceElements(below);
    const lookup = below[0]?.getInstanceProcAddr ?? this.#terminators.getInstanceProcAddr;
    const create = procOf(lookup, instance, "vkCreateDevice"), call = { physicalDevice: gpu, info, allocator };
    const links = createLinked(create, elements, this.#terminators, call);
    if (typeof links === "number") return links;
    this.#links.set(links.handle, links);
    poke64(out, links.handle);
    poke64(nextOut, elements[0]?.getDeviceProcAddr ?? this.#terminators.getDeviceProcAddr);
    return 0;
  }

  #destroyDevice([device, allocator, destroy]: bigint[]): void {
    if (device === 0n) return;
    const table = this.#terminators.claim(device);
    if (destroy !== 0n) invokeAddress(destroy, "v:qq", [device, allocator]);
    if (table) forgetDevice(this.#elements, table);
    table?.close();
    this.#links.get(device)?.close();
    this.#links.delete(device);
  }
}
