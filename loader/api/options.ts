import type { DriverSearch, WantedDriver } from "../driver/select.ts";
import type { Layer } from "../layer.ts";

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
   * Layers, top to bottom: TypeScript layers, and native ones by name, library
   * or manifest. TypeScript layers stand above native ones.
   */
  readonly layers?: readonly (Layer | string)[];
  /**
   * Told what was looked at and why; one sentence a call. Default: nothing is
   * said. Beside it, the environment variable VK_LOADER_DEBUG asks for lines on
   * standard error, in the Khronos loader's format.
   */
  readonly log?: (message: string) => void;
}
