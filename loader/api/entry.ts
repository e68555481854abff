import type { VulkanOptions } from "../options.ts";
import type { PlatformRules } from "../platform/rules.ts";

/** Notes something about the driver in use: for what reason it was found out, and what, as a sentence without a full stop. */
export type DriverNote = (origin: string, reason: string) => void;

/** What the `loadVulkan` of one public entry finds and brings. */
export interface LoaderEntry {
  /** The platforms whose rules can be followed. */
  readonly platforms: readonly PlatformRules[];
  /** The options that the entry has a use for. Absent: all. */
  readonly options?: readonly (keyof VulkanOptions)[];
  /** Adds to checked options what the entry brings. `note` adds a finding about the driver, once. */
  bring?(options: VulkanOptions, note: DriverNote): VulkanOptions;
}
