import type { DriverChoice, WantedDriver } from "./driver/choice.ts";
import type { FollowingHost } from "./driver/host/following_host.ts";
import type { DriverSearch } from "./driver/search/search.ts";
import type { Layer } from "./layer.ts";

/** Options of `loadVulkan`. */
export interface VulkanOptions extends DriverSearch {
  /**
   * The driver: a library (an Android HAL module or an ICD; the exports tell
   * which), a manifest (`.json`), the address of a driver in this process, a
   * list of these, or `"auto"` for the search of the platform. On Linux, the
   * search takes all drivers of manifests that have a device; on Android, the
   * HAL. With several drivers, an instance has the physical devices of all of
   * them. Default `"auto"`.
   */
  readonly driver?: WantedDriver;
  /**
   * Layers, top to bottom, in any order: TypeScript layers, and native ones by
   * name, library or manifest. Where emitted code cannot be used, TypeScript
   * layers must be above native layers.
   *
   * For each instance, the layers that the machine adds follow below. A layer
   * that is named several times counts once, at its first place. On Linux, the
   * machine adds implicit layers, those of VK_INSTANCE_LAYERS, those that
   * VK_LOADER_LAYERS_ENABLE matches, and those of ppEnabledLayerNames. On
   * Android, it adds those of the setting `gpu_debug_layers` or else of the
   * properties `debug.vulkan.layers` and `debug.vulkan.layer.N`, those of
   * ppEnabledLayerNames, and the system's own.
   */
  readonly layers?: readonly (Layer | string)[];
  /**
   * TypeScript layers for the bottom of the chain, below the layers that the
   * machine adds. All other layers see them as part of the driver; a window
   * system is the example. Their extensions are listed as the driver's
   * extensions are. They are in the chain of an instance that enables one of
   * their extensions which the driver itself lacks.
   */
  readonly bottomLayers?: readonly Layer[];
  /**
   * Whether layers that nobody named count: implicit layers, the override
   * layer, and layers of the loader's settings file. Default: `true` for driver
   * `"auto"`, `false` for a named driver. Android has no such layers.
   */
  readonly implicitLayers?: boolean;
  /**
   * The most calls of other threads that can be recorded before layers with
   * `onForeignThread: "record"` hear of them, 1 to 1,048,576. Further calls are
   * lost and counted. Each call takes 256 bytes once its room is used. Default
   * 65,536.
   */
  readonly foreignCalls?: number;
  /**
   * Called with one sentence for each thing that the loader looked at, and why.
   * Default: no messages. Independently of this option, the environment
   * variable VK_LOADER_DEBUG writes lines to standard error, in the Khronos
   * loader's format.
   */
  readonly log?: (message: string) => void;
}

/** The options of one loader as everything below its entry takes them: the driver is read, and the machine is known. */
export interface LoaderRequest extends Omit<VulkanOptions, "driver" | "host"> {
  /** The driver. */
  readonly driver: DriverChoice;
  /** The machine. */
  readonly host: FollowingHost;
}
