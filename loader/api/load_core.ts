import type { DirectDriver } from "../driver/interface/driver.ts";
import type { Host } from "../driver/host/host.ts";
import type { Layer } from "../layer.ts";
import { bare } from "../platform/bare.ts";
import { checkOptions, type OptionRules } from "../../ffi/check_options.ts";
import { VULKAN_RULES } from "./check_options.ts";
import { load } from "./load.ts";
import type { Vulkan } from "./vulkan.ts";

/** Options of the lean `loadVulkan`. */
export interface CoreOptions {
  /** The driver: a library (Android HAL module or ICD), a manifest (`.json`), or a driver in this process. */
  readonly driver: string | DirectDriver;
  /** TypeScript layers, top to bottom. */
  readonly layers?: readonly Layer[];
  /** TypeScript layers for the bottom of the chain, such as a window system. */
  readonly bottomLayers?: readonly Layer[];
  /**
   * How many calls of other threads can be recorded before layers with
   * `onForeignThread: "record"` hear of them, 1 to 1,048,576. Default 65,536.
   */
  readonly foreignCalls?: number;
  /** Called with one sentence for each thing that the loader looked at, and why. Default: nothing is logged. */
  readonly log?: (message: string) => void;
  /** The machine as the loader sees it, for tests. Default: this process. */
  readonly host?: Host;
}

const { driver, layers, bottomLayers, foreignCalls, log, host } = VULKAN_RULES;
/** The rules of those loader options that this entry has. */
const RULES: OptionRules<CoreOptions> = { driver, layers, bottomLayers, foreignCalls, log, host };

/**
 * Opens a named Vulkan driver and puts TypeScript layers on top.
 *
 * @throws {DriverError} if the driver cannot be used; the message says what was
 *   found and what to do.
 * @throws {TypeError} if an option is wrong, or exists only in
 *   `@pumice/gfx/loader`.
 */
export function loadVulkan(options: CoreOptions): Vulkan {
  const other = Object.keys(options ?? {}).find((name) => name in VULKAN_RULES && !(name in RULES));
  if (other !== undefined) {
    throw new TypeError(
      `Cannot use option "${other}" of loadVulkan() here: give some of ${Object.keys(RULES).join(", ")}, ` +
        'or import loadVulkan from "@pumice/gfx/loader"',
    );
  }
  checkOptions("loadVulkan()", options, RULES);
  return load(options, [bare]);
}
