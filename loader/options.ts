import type { DriverSearch, WantedDriver } from "./driver/search/wanted.ts";
import type { Layer } from "./layer.ts";

/** What `loadVulkan` can be told. */
export interface VulkanOptions extends DriverSearch {
  /**
   * The driver: a library (Android HAL module or ICD, told apart by what it
   * exports), a manifest (`.json`), a driver in this process by its address, or
   * a list of these, or `"auto"` for what the platform's search finds: on
   * Linux all drivers the manifests lead to that have a device, on Android the
   * HAL. Of several drivers an instance has the physical devices of all.
   * Default `"auto"`.
   */
  readonly driver?: WantedDriver;
  /**
   * Layers, top to bottom, in any order: TypeScript layers, and native ones by
   * name, library or manifest. Where emitted code cannot be used, TypeScript
   * layers stand above native ones only. Below them come for each instance the
   * layers that the machine adds; each counts once, where it comes first. On
   * Linux: implicit ones, those of VK_INSTANCE_LAYERS, those
   * VK_LOADER_LAYERS_ENABLE matches, those of ppEnabledLayerNames. On Android:
   * those of the setting `gpu_debug_layers`, else of the properties
   * `debug.vulkan.layers` and `debug.vulkan.layer.N`; those of
   * ppEnabledLayerNames; the system's own.
   */
  readonly layers?: readonly (Layer | string)[];
  /**
   * TypeScript layers for the very bottom of the chain, below whatever the
   * machine adds: a window system, which to all others is part of the driver.
   * Their extensions are listed as the driver's are. They are in the chain of
   * instances that enable one of them that the driver itself lacks.
   */
  readonly bottomLayers?: readonly Layer[];
  /**
   * Whether layers that nobody named count: implicit layers, the override layer
   * and what the loader's settings file says of layers. Default: `true` for
   * driver `"auto"`; `false` for a driver that was named, which is to be bare.
   * On Android there are none.
   */
  readonly implicitLayers?: boolean;
  /**
   * How many calls of other threads there is room for until this thread tells layers with `onForeignThread: "record"`
   * of them, 1 to 1,048,576. More are lost, and counted. Room takes 256 bytes a call once it is used. Default 65,536.
   */
  readonly foreignCalls?: number;
  /**
   * Told what was looked at and why; one sentence a call. Default: nothing is
   * said. Beside it, the environment variable VK_LOADER_DEBUG asks for lines on
   * standard error, in the Khronos loader's format.
   */
  readonly log?: (message: string) => void;
}
