import { arena } from "../../ffi/arena.ts";
import { NativeBlock } from "../../ffi/block.ts";
import type { ChainElement } from "./element.ts";

/** VkLayerFunction values. */
const VK_LAYER_LINK_INFO = 0, VK_LOADER_DATA_CALLBACK = 1;
/** Offset of pNext in every struct that has one. */
const P_NEXT = 8;
/** Bytes of a link node (VkLayerInstanceLink, VkLayerDeviceLink) and of an info struct (the larger, instance one). */
const NODE = 24, INFO = 40;

/** What is below the last element: the loader's terminators. */
export interface Terminators {
  /** Address of the GetInstanceProcAddr the lowest layer calls. */
  readonly getInstanceProcAddr: bigint;
  /** For a device chain, address of the GetDeviceProcAddr it calls; 0n for an instance chain. */
  readonly getDeviceProcAddr: bigint;
}

/**
 * The link structs of one vkCreateInstance or vkCreateDevice: a callback
 * struct and a link struct to put before the application's pNext, and one node
 * per layer that says what lies below it. Layers write into them while they
 * advance, so each call has its own; some look back later, so they live as
 * long as the object does.
 */
export class Links implements Disposable {
  readonly #memory: NativeBlock;

  /** Builds the structs of a chain, top element first. `sType` is 47 for an instance, 48 for a device. */
  constructor(sType: 47 | 48, elements: readonly ChainElement[], below: Terminators, setLoaderData: bigint) {
    this.#memory = new NativeBlock(2 * INFO + NODE * elements.length);
    const { view, address } = this.#memory;
    const nodes = address + BigInt(2 * INFO);
    elements.forEach((_, index) =>
      this.#writeNode(index, sType, elements[index + 1] ?? below, index + 1 < elements.length, nodes)
    );
    writeInfo(view, INFO, sType, VK_LAYER_LINK_INFO, nodes);
    writeInfo(view, 0, sType, VK_LOADER_DATA_CALLBACK, setLoaderData);
    view.setBigUint64(P_NEXT, address + BigInt(INFO), true);
  }

  /** Copies a create info of `size` bytes into the arena with the structs before its pNext chain; returns the copy's address. */
  linked(info: bigint, size: number): bigint {
    const memory = arena(), copy = memory.copyIn(info, size);
    this.#memory.view.setBigUint64(INFO + P_NEXT, memory.view.getBigUint64(copy + P_NEXT, true), true);
    memory.view.setBigUint64(copy + P_NEXT, this.#memory.address, true);
    return memory.address(copy);
  }

  /** Frees the structs. */
  close(): void {
    this.#memory.close();
  }

  /** Frees the structs at the end of a `using` scope. */
  [Symbol.dispose](): void {
    this.close();
  }

  #writeNode(index: number, sType: number, next: ChainElement | Terminators, more: boolean, nodes: bigint): void {
    const { view } = this.#memory, at = 2 * INFO + NODE * index;
    view.setBigUint64(at, more ? nodes + BigInt(NODE * (index + 1)) : 0n, true); // pNext
    view.setBigUint64(at + 8, next.getInstanceProcAddr, true);
    view.setBigUint64(at + 16, sType === 48 ? next.getDeviceProcAddr : 0n, true); // instance: no physical-device lookup
  }
}

function writeInfo(view: DataView, at: number, sType: number, layerFunction: number, pointer: bigint): void {
  view.setUint32(at, sType, true);
  view.setUint32(at + 16, layerFunction, true);
  view.setBigUint64(at + 24, pointer, true);
}
