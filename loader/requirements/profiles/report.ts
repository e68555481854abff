/** Something a profile asks for that a device does not have. */
export interface ProfileMiss {
  /** The profile that asks: the one that was compared, or one that it requires. */
  readonly profile: string;
  /** Which of its capabilities; `""` for its version. */
  readonly capability: string;
  /** Other capabilities that would do instead. */
  readonly alternatives: readonly string[];
  /** What it is. */
  readonly kind: "version" | "extension" | "feature" | "property" | "format" | "queue family";
  /** Its name: `VK_KHR_maintenance5`, `VkPhysicalDeviceFeatures.sampleRateShading`, `VK_FORMAT_R8_UNORM.bufferFeatures`. */
  readonly name: string;
  /** What is asked for. */
  readonly wanted: string;
  /** What the device has. */
  readonly found: string;
}

/** What came of comparing a device with a profile. */
export interface ProfileReport {
  /** The profile's name. */
  readonly name: string;
  /** The profile's own version. */
  readonly version: number;
  /** Whether the device has everything. */
  readonly supported: boolean;
  /** How many single things were compared. */
  readonly asked: number;
  /** Everything it lacks. */
  readonly misses: readonly ProfileMiss[];
  /** Capabilities that the profile calls optional, and whether the device has all of each. */
  readonly optionals: readonly { readonly capability: string; readonly supported: boolean }[];
}

/** A miss as a clause: what is wanted and what was found. */
export function missText({ name, wanted, found, alternatives }: ProfileMiss): string {
  const instead = alternatives.length > 0 ? ` (or ${alternatives.join(", or ")})` : "";
  return `${name}: wanted ${wanted}, found ${found}${instead}`;
}
