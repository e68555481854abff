import type { Layer } from "../layer.ts";

/** What `loadVulkan` can be told. */
export interface VulkanOptions {
  /**
   * The driver: a library (Android HAL module or ICD, told apart by what it
   * exports), a manifest (`.json`), or `"auto"` for the best device that the
   * manifests of this machine lead to. Default `"auto"`.
   */
  readonly driver?: string;
  /**
   * Layers, top to bottom: TypeScript layers, and native ones by name, library
   * or manifest. TypeScript layers stand above native ones.
   */
  readonly layers?: readonly (Layer | string)[];
  /** Told what was looked at and why; one sentence a call. Default: nothing is said. */
  readonly log?: (message: string) => void;
}
