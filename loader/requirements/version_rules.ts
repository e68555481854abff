import { V1_0, V1_1, V1_3, versionText } from "../version.ts";
import type { DeviceFacts } from "./facts.ts";
import { additionsMissing } from "./core_1_1_rules.ts";
import { HARDWARE_VERSIONS, hardwareVersionOf, versionWithNumber } from "./hardware_level.ts";
import { demand } from "./requirement.ts";
import type { Circumstances, DeviceRule } from "./rule.ts";
import type { Outcome } from "./verdict.ts";

/**
 * The versions that new devices must have, by the release with which they
 * launch. Only for devices with 64 bits and enough memory.
 */
const LAUNCH_VERSIONS: readonly (readonly [launch: number, version: number])[] = [[13, V1_3], [10, V1_1]];

/** VK17, VK21, VK22: the versions that releases require. */
export const VERSION_RULES: readonly DeviceRule[] = [
  {
    id: "VK17",
    rule: "vulkan.release-version",
    requirement: "A device with Vulkan has 1.0.3 at least; Android knows 1.1 since 9, 1.3 since 13 and 1.4 since 16.",
    source: "Android's implementation guide for Vulkan, versions; CDD 7.1.4.2",
    check({ apiVersion }, { release }) {
      const [newest] = HARDWARE_VERSIONS.findLast(([, since]) => since <= release)!;
      const found = `${versionText(apiVersion)}; the newest that Android ${release} knows is ${versionText(newest)}`;
      return demand(apiVersion >= V1_0, found, "the driver must implement Vulkan 1.0.3 at least");
    },
  },
  {
    id: "VK21",
    rule: "vulkan.launch-version",
    requirement:
      "Devices with 64 bits and not low on memory have Vulkan 1.1 if they launch with Android 10 to 12, and 1.3 from Android 13 on.",
    source: "Android's implementation guide for Vulkan, versions; CDD 3.3.1/C-0-12",
    skipsCpu: true,
    check: checkLaunch,
  },
  {
    id: "VK21",
    rule: "vulkan.each-device-version",
    requirement: "Every physical device that is enumerated has Vulkan 1.1.",
    source: "CDD 7.1.4.2/C-1-3; CTS VulkanFeaturesTest#testVulkanApiForEachDevice",
    since: 14,
    check(_device, { driver: { devices } }) {
      const older = devices.filter(({ apiVersion }) => apiVersion < V1_1);
      const list = (older.length > 0 ? older : devices).map(({ name, apiVersion }) =>
        `"${name}": ${versionText(apiVersion)}`
      );
      const advice = "bring the device up to Vulkan 1.1, or do not enumerate it";
      return demand(older.length === 0, list.join(", "), advice);
    },
  },
  {
    id: "VK22",
    rule: "vulkan.version-counts",
    requirement:
      "A version counts as supported if the device also has what the CDD adds to it, and android.hardware.vulkan.version says so.",
    source: "Android's implementation guide for Vulkan, versions; CDD 7.1.4.2/C-3-1",
    skipsCpu: true,
    check: checkCounts,
  },
];

function checkLaunch({ apiVersion }: DeviceFacts, { launch, is64Bit, lowMemory }: Circumstances): Outcome {
  const found = `${versionText(apiVersion)} for a device that launches with Android ${launch}`;
  const wanted = LAUNCH_VERSIONS.find(([since]) => launch >= since)?.[1];
  if (wanted === undefined) return { status: "report", found: `${found}, which may have any version` };
  if (!is64Bit || lowMemory) {
    const why = is64Bit ? "is low on memory" : "has no 64-bit ABI";
    return { status: "report", found: `${found} and ${why}, which may have any version` };
  }
  return demand(
    apiVersion >= wanted,
    found,
    `the driver must implement Vulkan ${versionText(wanted).slice(0, 3)}`,
  );
}

function checkCounts(device: DeviceFacts, { release, claims }: Circumstances): Outcome {
  const earned = hardwareVersionOf(device.apiVersion, release), missing = additionsMissing(device, release);
  const version = versionWithNumber(earned ?? device.apiVersion), claimed = claims?.version;
  if (missing.length > 0) {
    const advice = "the driver must bring what is missing; until then no version may be declared";
    return demand(false, `${version} does not count: ${missing.join("; ")}`, advice);
  }
  if (claimed !== undefined && claimed !== (earned ?? -1)) {
    const advice = earned === undefined ? "do not declare the feature" : `declare 0x${earned.toString(16)}`;
    return demand(false, `the feature claims 0x${claimed.toString(16)}, the driver earns ${version}`, advice);
  }
  return demand(true, version, "");
}
