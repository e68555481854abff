import type { MemoryReserve } from "../../ffi/block.ts";
import type { Driver } from "../driver/interface/driver.ts";
import type { LayerListing } from "./bottom/terminators.ts";
import type { ChainElement } from "./element.ts";
import type { DispatchTable } from "./table/dispatch_table.ts";

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
  /** The links of a chain that native code needs. Absent: there are no native layers, and no drivers are joined. */
  readonly linking?: ChainLinking;
  /** Keeps the memory of tables for later ones. */
  readonly reserve?: MemoryReserve;
}

/** The raw arguments of a vkCreateDevice. */
export interface DeviceCall {
  /** The physical device. */
  readonly physicalDevice: bigint;
  /** Address of the VkDeviceCreateInfo. */
  readonly info: bigint;
  /** The application's VkAllocationCallbacks; 0n for none. */
  readonly allocator: bigint;
}

/**
 * The part of chains that serves native code, which an entry without native
 * layers does not load: `loader/chain/link/native_chain.ts`.
 */
export interface ChainLinking {
  /** Calls vkCreateInstance down native layers. Returns the VkResult if that is an error. */
  createInstance(request: InstanceRequest): LinkedInstance | number;
  /** Called with each device, after its table was filled. */
  enterDevice(table: DispatchTable, device: bigint): void;
  /** Called when a device is gone. */
  leaveDevice(table: DispatchTable): void;
}

/** A new instance above native layers. */
export interface LinkedInstance {
  /** The filled dispatch table. */
  readonly table: DispatchTable;
  /** The handle for the application. */
  readonly handle: bigint;
  /** The links of the layers, which live as long as the instance. */
  readonly layers: LinkedLayers;
}

/** The links of an instance's native layers. */
export interface LinkedLayers {
  /** The driver's own instance. */
  readonly driverInstance: bigint;
  /** Calls vkCreateDevice of an instance's table, down the layers. The handle is stored at `out`. */
  createDevice(table: DispatchTable, call: DeviceCall, out: bigint): LinkedDevice | number;
  /** Frees the links. The instance must be gone. */
  close(): void;
}

/** A new device above native layers. Its table is not filled yet. */
export interface LinkedDevice {
  /** The dispatch table. */
  readonly table: DispatchTable;
  /** The handle for the application. */
  readonly handle: bigint;
  /** Address of the vkGetDeviceProcAddr of the topmost element. */
  readonly getDeviceProcAddr: bigint;
  /** The native layers that take part in the device. */
  readonly elements: readonly ChainElement[];
  /** Called after the table was filled. */
  filled(): void;
  /** Frees the links. The device must be gone. */
  close(): void;
}
