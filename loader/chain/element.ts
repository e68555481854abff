import type { LayerExtension } from "../layer.ts";
import type { DispatchTable } from "./table/dispatch_table.ts";

/** A native element of the chain: where the element above finds its commands. */
export interface ChainElement {
  /** The layer's name, for messages and for those who ask for its extensions. */
  readonly name: string;
  /** Address of the vkGetInstanceProcAddr. */
  readonly getInstanceProcAddr: bigint;
  /** Address of its vkGetDeviceProcAddr; 0n for an instance-only layer, which stays out of the device chain. */
  readonly getDeviceProcAddr: bigint;
  /** Address of its vk_layerGetPhysicalDeviceProcAddr; absent or 0n when it has none, and is passed by. */
  readonly getPhysicalDeviceProcAddr?: bigint;
  /** Instance extensions it brings; absent when nobody knows. */
  readonly instanceExtensions?: readonly LayerExtension[];
  /** Device extensions it brings; absent when nobody knows. */
  readonly deviceExtensions?: readonly LayerExtension[];
  /** A seat of TypeScript layers is told when a device is gone, by its table's address; others need not know. */
  forgetDevice?(table: bigint): void;
  /** Whether it is there though nobody named it: then its device extensions are listed as if they were the driver's. */
  readonly byItself?: boolean;
}

/** Tells the seats among the elements that a device is gone. */
export function forgetDevice(elements: readonly ChainElement[], table: DispatchTable): void {
  for (const element of elements) element.forgetDevice?.(table.address);
}
