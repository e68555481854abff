/** A demand of a profile that a device does not meet. */
export interface ProfileMiss {
  /** The profile with the demand: the compared profile, or one that it requires. */
  readonly profile: string;
  /** The name of the capability; `""` for the profile's version. */
  readonly capability: string;
  /** Other capabilities that would be enough. */
  readonly alternatives: readonly string[];
  /** The kind of the demand. */
  readonly kind: "version" | "extension" | "feature" | "property" | "format" | "queue family";
  /**
   * The name: `VK_KHR_maintenance5`,
   * `VkPhysicalDeviceFeatures.sampleRateShading`,
   * `VK_FORMAT_R8_UNORM.bufferFeatures`.
   */
  readonly name: string;
  /** The demanded value. */
  readonly wanted: string;
  /** The device's value. */
  readonly found: string;
}

/** The result of comparing a device with a profile. */
export interface ProfileReport {
  /** The profile's name. */
  readonly name: string;
  /** The profile's version. */
  readonly version: number;
  /** Whether the device has everything. */
  readonly supported: boolean;
  /** The number of demands that were compared. */
  readonly asked: number;
  /** Every unmet demand. */
  readonly misses: readonly ProfileMiss[];
  /** The profile's optional capabilities, and whether the device has all of each. */
  readonly optionals: readonly { readonly capability: string; readonly supported: boolean }[];
}

/** Formats a miss as a clause: the demand and what was found. */
export function missText({ name, wanted, found, alternatives }: ProfileMiss): string {
  const instead = alternatives.length > 0 ? ` (or ${alternatives.join(", or ")})` : "";
  return `${name}: wanted ${wanted}, found ${found}${instead}`;
}

/** A single demand of a profile, and whether the device meets it. */
export interface Demand extends Pick<ProfileMiss, "kind" | "name" | "wanted" | "found"> {
  /** Whether the device meets it. */
  readonly met: boolean;
}
