import type { Circumstances } from "../rule.ts";

/** The releases from which a profile is required. */
interface Demanded {
  /** Required for every device with Vulkan that runs this release or a newer one. */
  readonly release?: number;
  /** Required for devices that launch with this release or a newer one. */
  readonly launch?: number;
}

const GUIDE = "Android's implementation guide for Vulkan, profiles";
/** The profiles that releases require. Other profiles are recommended, or requested by the caller. */
const DEMANDED: Readonly<Record<string, Demanded>> = {
  VP_ANDROID_baseline_2021: { release: 14 },
  VP_ANDROID_vulkan_profile_2021: { release: 14 },
  VP_ANDROID_15_minimums: { launch: 15 },
  VP_ANDROID_15_requirements: { launch: 15 },
  VP_ANDROID_16_minimums: { launch: 16 },
  VP_ANDROID_16_requirements: { launch: 16 },
  VP_ANDROID_17_requirements: { launch: 17 },
};
/** The tests that compare a device with a profile. */
const TESTS: Readonly<Record<string, string>> = {
  VP_ANDROID_baseline_2021: "CDD 7.1.4.2/C-1-13; CTS VulkanFeaturesTest#testAndroidBaselineProfile2021Support",
};
/** The extensions that the shorter variant of the profile of 2021 lacks. CTS uses that variant for CPUs. */
export const NOT_FOR_CPUS: ReadonlySet<string> = new Set([
  "VK_GOOGLE_display_timing",
  "VK_KHR_external_fence_fd",
  "VK_KHR_variable_pointers",
]);

/** Returns why a device need not have a profile; `undefined` if it must. */
export function whyNotDemanded(profile: string, { release, launch }: Circumstances): string | undefined {
  const demanded = DEMANDED[profile];
  if (!demanded) return "recommended, not demanded";
  if (demanded.release !== undefined && release < demanded.release) return `demanded since Android ${demanded.release}`;
  if (demanded.launch !== undefined && launch < demanded.launch) {
    return `demanded of devices that launch with Android ${demanded.launch}`;
  }
  return undefined;
}

/** Returns the document that requires the profile. */
export function sourceOf(profile: string): string {
  return TESTS[profile] ?? `${GUIDE}; ${profile}`;
}
