import type { DriverKind } from "../driver/interface/entry_points.ts";
import type { VulkanOptions } from "../options.ts";
import type { PlatformRules } from "../platform/rules.ts";

/** Notes something about the driver in use: how it was found out, and what, as a sentence without a full stop. */
export type DriverNote = (origin: string, reason: string) => void;

/** The abilities of one public entry's `loadVulkan`. */
export interface LoaderEntry {
  /** The known platforms. */
  readonly platforms: readonly PlatformRules[];
  /** The options of the entry. Absent: all options. */
  readonly options?: readonly (keyof VulkanOptions)[];
  /**
   * Adds the entry's own parts to checked options. `note` adds a finding about the driver, once; `kind` tells the
   * interface of the driver, once the driver is open.
   */
  bring?(options: VulkanOptions, note: DriverNote, kind: () => DriverKind): VulkanOptions;
}
