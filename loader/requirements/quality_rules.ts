import { type DeviceFacts, hasFeature } from "./facts.ts";
import { demand } from "./requirement.ts";
import { type DeviceRule, ownerOf } from "./rule.ts";
import { knownProfiles } from "./profiles/profile_set.ts";
import { formatDemands } from "./profiles/format_demands.ts";
import type { Outcome } from "./verdict.ts";

const SOURCE = "Android's implementation guide for Vulkan, profiles; VP_ANDROID_baseline_2021";
const COLOR_SPACES = "VK_EXT_swapchain_colorspace", PROFILE = "VP_ANDROID_baseline_2021";
/** The release from which all devices with Vulkan need these. */
const SINCE = 14;

/** VK23: the demands of the profile of 2021 that applications notice most. */
export const QUALITY_RULES: readonly DeviceRule[] = [
  compressionRule("etc2", "textureCompressionETC2", /_(ETC2|EAC)_/, "ETC2 and EAC"),
  compressionRule("astc", "textureCompressionASTC_LDR", /_ASTC_/, "ASTC"),
  {
    id: "VK23",
    rule: "vulkan.color-spaces",
    requirement: `Applications can choose color spaces: ${COLOR_SPACES} is there.`,
    source: SOURCE,
    since: SINCE,
    check(device) {
      const revision = device.extensions.get(COLOR_SPACES), own = ownerOf(device, COLOR_SPACES);
      const found = revision === undefined ? `no ${COLOR_SPACES}` : `revision ${revision}`;
      return demand(revision !== undefined, found, "the loader brings it on Android; load with its window system", own);
    },
  },
  {
    id: "VK23",
    rule: "vulkan.sample-shading",
    requirement: "Fragments are shaded and interpolated by sample: sampleRateShading.",
    source: SOURCE,
    since: SINCE,
    skipsCpu: true,
    check(device) {
      const has = hasFeature(device, "sampleRateShading");
      return demand(has, `sampleRateShading ${has}`, "the driver must support sampleRateShading");
    },
  },
];

function compressionRule(name: string, feature: string, formats: RegExp, text: string): DeviceRule {
  return {
    id: "VK23",
    rule: `vulkan.compression.${name}`,
    requirement: `Textures may be compressed by ${text}: ${feature}, and every format sampled with linear filters.`,
    source: SOURCE,
    since: SINCE,
    skipsCpu: true,
    check: (device) => compressionOutcome(device, feature, formats),
  };
}

function compressionOutcome(device: DeviceFacts, feature: string, formats: RegExp): Outcome {
  const has = hasFeature(device, feature), all = formatsOf(formats);
  const wanting = Object.entries(all).filter(([name, each]) =>
    formatDemands({ [name]: each }, device).some(({ met }) => !met)
  ).map(([name]) => name);
  const count = Object.keys(all).length;
  const found = `${feature} ${has}; ${count - wanting.length} of ${count} formats are good enough${
    wanting.length > 0 ? `, not ${wanting.slice(0, 3).join(", ")}${wanting.length > 3 ? "…" : ""}` : ""
  }`;
  return demand(has && wanting.length === 0, found, `the driver must support ${feature} with all its formats`);
}

/** Returns the formats of the profile whose names match, each alone. */
function formatsOf(pattern: RegExp): Readonly<Record<string, Record<string, Record<string, unknown>>>> {
  const { formats } = knownProfiles().get(PROFILE)!.capabilities[0][0];
  const single = Object.entries(formats).flatMap(([names, each]) =>
    names.split(" ").map((name) => [name, each] as const)
  );
  return Object.fromEntries(single.filter(([name]) => pattern.test(name)));
}
