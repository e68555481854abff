import type { DirectDriver } from "../driver/interface/driver.ts";
import type { Host } from "../driver/host/host.ts";
import type { Layer } from "../layer.ts";
import { bare } from "../platform/bare.ts";
import { checkOptions, type OptionRules } from "../../ffi/check_options.ts";
import { VULKAN_RULES } from "./check_options.ts";
import { load } from "./load.ts";
import type { Vulkan } from "./vulkan.ts";

/** What the lean `loadVulkan` can be told. */
export interface CoreOptions {
  /** The driver: a library (Android HAL module or ICD), a manifest (`.json`), or a driver in this process. */
  readonly driver: string | DirectDriver;
  /** TypeScript layers, top to bottom. */
  readonly layers?: readonly Layer[];
  /** TypeScript layers for the very bottom of the chain, such as a window system. */
  readonly bottomLayers?: readonly Layer[];
  /**
   * How many calls of other threads there is room for until this thread tells layers with `onForeignThread: "record"`
   * of them, 1 to 1,048,576. Default 65,536.
   */
  readonly foreignCalls?: number;
  /** Told what was looked at and why; one sentence a call. Default: nothing is said. */
  readonly log?: (message: string) => void;
  /** The machine as the loader sees it; for tests. Default: this process. */
  readonly host?: Host;
}

const { driver, layers, bottomLayers, foreignCalls, log, host } = VULKAN_RULES;
/** Those of the whole loader's options that there are here. */
const RULES: OptionRules<CoreOptions> = { driver, layers, bottomLayers, foreignCalls, log, host };

/**
 * Opens the Vulkan driver that is named and puts TypeScript layers on top of it.
 *
 * @throws {DriverError} when the driver cannot be used; the message says what was found and what to do.
 * @throws {TypeError} when the options make no sense, or are of those that `@pumice/gfx/loader` has more.
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
