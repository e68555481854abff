import type { LayerExtension } from "../layer.ts";
import type { DispatchTable } from "./table/dispatch_table.ts";

/** A native element of the chain: where the element above finds its commands. */
export interface ChainElement {
  /** The layer's name, for messages and for queries about its extensions. */
  readonly name: string;
  /** Address of the vkGetInstanceProcAddr. */
  readonly getInstanceProcAddr: bigint;
  /** Address of the vkGetDeviceProcAddr; 0n for an instance-only layer, which is not in the device chain. */
  readonly getDeviceProcAddr: bigint;
  /** Address of the vk_layerGetPhysicalDeviceProcAddr. Absent or 0n if there is none; queries then skip the element. */
  readonly getPhysicalDeviceProcAddr?: bigint;
  /** The instance extensions that it provides; absent if they are unknown. */
  readonly instanceExtensions?: readonly LayerExtension[];
  /** The device extensions that it provides; absent if they are unknown. */
  readonly deviceExtensions?: readonly LayerExtension[];
  /** Called when a device is gone, with its table's address. Only interposers of TypeScript layers need it. */
  forgetDevice?(table: bigint): void;
  /** Whether nobody named the layer. Its device extensions are then listed as if they were the driver's. */
  readonly byItself?: boolean;
}

/** Returns the elements that take part in devices, without instance-only layers. */
export function deviceElements<Element extends ChainElement>(elements: readonly Element[]): Element[] {
  return elements.filter((element) => element.getDeviceProcAddr !== 0n);
}

/** Tells the interposers among the elements that a device is gone. */
export function forgetDevice(elements: readonly ChainElement[], table: DispatchTable): void {
  for (const element of elements) element.forgetDevice?.(table.address);
}
