import { arena, inFrame } from "../../../ffi/arena.ts";
import { NativeBlock } from "../../../ffi/block.ts";
import { invokeAddress } from "../../../ffi/machine.ts";
import { setLoaderDataAddress } from "../../../ffi/functions/stamp.ts";
import { DEVICE_CREATE_INFO } from "../../driver/structs/create_info.ts";
import type { ChainElement } from "../element.ts";
import type { DriverTerminators } from "../bottom/terminators.ts";

/** VkLayerFunction values. */
const LINK_INFO = 0, LOADER_DATA_CALLBACK = 1, CREATE_DEVICE_CALLBACK = 2, LOADER_FEATURES = 3;
/** The structs put before the application's chain, first to last. */
const STRUCTS = {
  47: [LOADER_FEATURES, CREATE_DEVICE_CALLBACK, LOADER_DATA_CALLBACK, LINK_INFO],
  48: [LOADER_DATA_CALLBACK, LINK_INFO],
} as const;
/** Offset of pNext in every struct that has one. */
const P_NEXT = 8;
/** Bytes of a link node (VkLayerInstanceLink, VkLayerDeviceLink) and of an info struct (the larger, instance one). */
const NODE = 24, INFO = 40;
/** Where the handle is returned to, where the stand-in for it is, and where the info structs begin. */
const OUT = 0, STAND_IN = 16, INFOS = 32;

/** What is below the last element: the loader's terminators. */
export interface Terminators {
  /** Address of the GetInstanceProcAddr the lowest layer calls. */
  readonly getInstanceProcAddr: bigint;
  /** For a device chain, address of the GetDeviceProcAddr it calls; 0n for an instance chain. */
  readonly getDeviceProcAddr: bigint;
  /** For an instance chain, address of the driver's lookup for unknown physical-device commands; 0n when it has none. */
  readonly getPhysicalDeviceProcAddr: bigint;
}

/** What layers may call back, by address. */
export interface LayerCallbacks {
  /** `VkResult (VkInstance or VkDevice, void *object)`: gives an object its dispatch key. */
  readonly setLoaderData: bigint;
  /** For an instance chain, pfnLayerCreateDevice. */
  readonly createDevice?: bigint;
  /** For an instance chain, pfnLayerDestroyDevice. */
  readonly destroyDevice?: bigint;
}

/**
 * The link structs of one vkCreateInstance or vkCreateDevice: the loader's
 * callback structs and a link struct to put before the application's pNext, and
 * one node per layer that says what lies below it. Layers write into them while
 * they advance, so each call has its own; some look back later, so they live as
 * long as the object does.
 */
export class Links implements Disposable {
  readonly #memory: NativeBlock;
  readonly #last: number;

  /**
   * Builds the structs of a chain, top element first. `sType` is 47 for an
   * instance, 48 for a device. `key` is what the stand-in for the handle has in
   * word 0, for layers that look there before there is a handle.
   */
  constructor(
    sType: 47 | 48,
    elements: readonly ChainElement[],
    below: Terminators,
    callbacks: LayerCallbacks,
    key = 0n,
  ) {
    const structs = STRUCTS[sType].filter((each) => each !== LINK_INFO || elements.length > 0);
    const nodes = INFOS + INFO * structs.length;
    this.#memory = new NativeBlock(nodes + NODE * elements.length);
    this.#last = INFOS + INFO * (structs.length - 1);
    const { view, address } = this.#memory, at = (offset: number) => address + BigInt(offset);
    view.setBigUint64(STAND_IN, key, true);
    structs.forEach((layerFunction, index) => {
      const offset = INFOS + INFO * index;
      this.#writeInfo(offset, sType, layerFunction, callbacks, at(nodes));
      if (offset !== this.#last) view.setBigUint64(offset + P_NEXT, at(offset + INFO), true);
    });
    elements.forEach((_, index) => {
      const offset = nodes + NODE * index, rest = elements.slice(index + 1);
      this.#writeNode(offset, sType, rest, below);
      if (rest.length > 0) view.setBigUint64(offset, at(offset + NODE), true); // pNext
    });
  }

  /** Copies a create info of `size` bytes into the arena with the structs before its pNext chain; returns the copy's address. */
  linked(info: bigint, size: number): bigint {
    const memory = arena(), copy = memory.copyIn(info, size);
    this.#memory.view.setBigUint64(this.#last + P_NEXT, memory.view.getBigUint64(copy + P_NEXT, true), true);
    memory.view.setBigUint64(copy + P_NEXT, this.#memory.address + BigInt(INFOS), true);
    return memory.address(copy);
  }

  /** What stands for the handle until there is one: a layer must not put anything else there before it calls down. */
  get standIn(): bigint {
    return this.#memory.address + BigInt(STAND_IN);
  }

  /** Where layers return the handle to; the stand-in is there first. */
  openOut(): bigint {
    this.#memory.view.setBigUint64(OUT, this.standIn, true);
    return this.#memory.address + BigInt(OUT);
  }

  /** The handle that was returned. */
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
    view.setUint32(at + 16, layerFunction, true);
    if (layerFunction === LINK_INFO) view.setBigUint64(at + 24, nodes, true);
    if (layerFunction === LOADER_DATA_CALLBACK) view.setBigUint64(at + 24, callbacks.setLoaderData, true);
    if (layerFunction !== CREATE_DEVICE_CALLBACK) return; // LOADER_FEATURES: none, they are about Windows
    view.setBigUint64(at + 24, callbacks.createDevice ?? 0n, true);
    view.setBigUint64(at + 32, callbacks.destroyDevice ?? 0n, true);
  }

  /** A layer without a lookup for physical-device commands is passed by: the next below that has one counts. */
  #writeNode(at: number, sType: number, rest: readonly ChainElement[], below: Terminators): void {
    const { view } = this.#memory, next = rest[0] ?? below;
    view.setBigUint64(at + 8, next.getInstanceProcAddr, true);
    const physicalDevice = rest.find((element) => element.getPhysicalDeviceProcAddr)?.getPhysicalDeviceProcAddr;
    const other = sType === 48 ? next.getDeviceProcAddr : physicalDevice ?? below.getPhysicalDeviceProcAddr;
    view.setBigUint64(at + 16, other, true);
  }
}

/** The elements that have a part in devices: instance-only layers stay out. */
export function deviceElements<Element extends ChainElement>(elements: readonly Element[]): Element[] {
  return elements.filter((element) => element.getDeviceProcAddr !== 0n);
}

/** What a vkCreateDevice is called with. */
export interface DeviceCall {
  /** The physical device. */
  readonly physicalDevice: bigint;
  /** The VkDeviceCreateInfo. */
  readonly info: bigint;
  /** The application's VkAllocationCallbacks; 0n for none. */
  readonly allocator: bigint;
}

/**
 * Calls a vkCreateDevice with links to the elements at and below it. Returns
 * its VkResult when that is an error, else the links, which hold the handle and
 * must live as long as the device does.
 */
export function createLinked(
  create: bigint,
  elements: readonly ChainElement[],
  terminators: DriverTerminators,
  { physicalDevice, info, allocator }: DeviceCall,
): Links | number {
  const links = new Links(48, elements, terminators, { setLoaderData: setLoaderDataAddress() });
  return inFrame(() => {
    const args = [physicalDevice, links.linked(info, DEVICE_CREATE_INFO), allocator, links.openOut()];
    const result = terminators.expecting(links.standIn, () => invokeAddress(create, "s:qqqq", args) as number);
    if (result >= 0) return links;
    links.close();
    return result;
  });
}
