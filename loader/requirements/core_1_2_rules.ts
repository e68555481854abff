import { type DeviceFacts, hasFeatureOf, structOf } from "./facts.ts";
import { demand } from "./requirement.ts";
import type { DeviceRule } from "./rule.ts";
import type { Outcome } from "./verdict.ts";
import { V1_2, V1_3 } from "../version.ts";

const STORAGE = "VkPhysicalDevice8BitStorageFeatures", MODEL = "VkPhysicalDeviceVulkanMemoryModelFeatures";
const DRIVER = "VkPhysicalDeviceDriverProperties", GUIDE = "Android's implementation guide for Vulkan, Vulkan 1.2";
/** The release whose profile requires 8-bit storage. */
const STORAGE_SINCE = 15;

/** VK19: the additions of 1.2. */
export const CORE_1_2_RULES: readonly DeviceRule[] = [
  {
    id: "VK19",
    rule: "vulkan.1_2.8bit-storage",
    requirement: "Devices of 1.2 have 8-bit storage; Vulkan leaves it open, Android's minimums since 15 do not.",
    source: `${GUIDE}; VP_ANDROID_15_minimums`,
    version: V1_2,
    check(device, { launch }) {
      const has = hasFeatureOf(device, STORAGE, "storageBuffer8BitAccess"), found = `storageBuffer8BitAccess ${has}`;
      if (!has && launch < STORAGE_SINCE) return { status: "report", found: `${found}, which Vulkan leaves open` };
      return demand(has, found, "the driver must support storageBuffer8BitAccess");
    },
  },
  {
    id: "VK19",
    rule: "vulkan.1_2.memory-model",
    requirement: "Devices of 1.2 have the unified memory model, which 1.3 makes mandatory.",
    source: `${GUIDE}; Vulkan specification, feature requirements`,
    version: V1_2,
    check: checkMemoryModel,
  },
  {
    id: "VK19",
    rule: "vulkan.1_2.driver-information",
    requirement: "Devices of 1.2 say which driver they have: its identity, name and conformance version.",
    source: `${GUIDE}; Vulkan specification, VkPhysicalDeviceDriverProperties`,
    version: V1_2,
    check: checkDriverInformation,
  },
];

function checkMemoryModel(device: DeviceFacts): Outcome {
  const has = hasFeatureOf(device, MODEL, "vulkanMemoryModel"), found = `vulkanMemoryModel ${has}`;
  if (!has && device.apiVersion < V1_3) return { status: "report", found: `${found}, which 1.2 leaves open` };
  return demand(has, found, "the driver must support vulkanMemoryModel");
}

function checkDriverInformation(device: DeviceFacts): Outcome {
  const { driverID = 0, driverName = "", driverInfo = "", conformanceVersion } = structOf(device, DRIVER);
  const { major = 0, minor = 0, subminor = 0, patch = 0 } = (conformanceVersion ?? {}) as Record<string, number>;
  const conformance = [major, minor, subminor, patch].join(".");
  const found = `driverID ${driverID}, "${driverName}" "${driverInfo}", conformance ${conformance}`;
  const missing = [driverID === 0 && "driverID", driverName === "" && "driverName", major === 0 && "conformanceVersion"]
    .filter((each) => each !== false);
  return demand(missing.length === 0, found, `the driver must fill ${missing.join(", ")}`);
}
