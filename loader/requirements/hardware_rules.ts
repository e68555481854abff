import { VK_API_VERSION_VARIANT } from "../version.ts";
import type { DeviceFacts } from "./facts.ts";
import {
  bestDevice,
  COMPUTE_BUFFERS,
  computeOf,
  hardwareVersionOf,
  hasVariablePointers,
  lackedFor,
  LEVEL_0_FEATURE,
  levelOf,
  ranksOf,
  storageBuffersOf,
  versionWithNumber,
} from "./hardware_level.ts";
import { demand } from "./requirement.ts";
import type { Circumstances, DeviceRule, DriverRule } from "./rule.ts";
import type { Outcome } from "./verdict.ts";

/** VK1: there is a GPU for Vulkan and for OpenGL ES. */
export const DEVICE_RULES: readonly DriverRule[] = [
  {
    id: "VK1",
    rule: "vulkan.devices",
    requirement: "The driver makes an instance and has a physical device.",
    source: "Android's implementation guide for Vulkan, overview",
    check({ driver: { devices, problem } }) {
      const found = problem ?? (devices.map(({ name }) => `"${name}"`).join(", ") || "no physical device");
      return demand(problem === undefined && devices.length > 0, found, "check that the driver fits the machine");
    },
  },
  {
    id: "VK1",
    rule: "vulkan.gles",
    requirement: "A GPU with Vulkan has OpenGL ES 3.1 or newer, too.",
    source: "Android's implementation guide for Vulkan, overview; CDD 7.1.4.2",
    check: checkGles,
  },
];

function checkGles({ glesVersion }: Circumstances): Outcome {
  if (!glesVersion) {
    return { status: "report", found: "the GPU's version of OpenGL ES is not known here; EGL can be asked" };
  }
  const [major, minor] = glesVersion;
  const found = `OpenGL ES ${major}.${minor}`;
  return demand(major > 3 || (major === 3 && minor >= 1), found, "the GPU's OpenGL ES driver must have 3.1");
}

const TEST = "CDD 7.1.4.2/C-1-1, C-2-1; CTS VulkanFeaturesTest#testVulkanHardwareFeatures";

/** VK2: the system features about the hardware. */
export const HARDWARE_RULES: readonly DeviceRule[] = [
  {
    id: "VK2",
    rule: "vulkan.hardware-level",
    requirement: "A device has hardware level 0 or 1, which android.hardware.vulkan.level states.",
    source: TEST,
    skipsCpu: true,
    check: checkLevel,
  },
  {
    id: "VK2",
    rule: "vulkan.hardware-version",
    requirement:
      "The device's version is one that android.hardware.vulkan.version has a value for: variant 0, the same major and minor, no higher patch.",
    source: TEST,
    skipsCpu: true,
    check: checkVersion,
  },
  {
    id: "VK2",
    rule: "vulkan.hardware-variant",
    requirement: "The variant of the device's version is 0, which stands for Vulkan itself.",
    source: "CDD 7.1.4.2; CTS VulkanFeaturesTest#testVulkanVariantSupport",
    check({ apiVersion }) {
      const variant = VK_API_VERSION_VARIANT(apiVersion);
      return demand(variant === 0, `variant ${variant}`, "the driver must report an apiVersion of variant 0");
    },
  },
  {
    id: "VK2",
    rule: "vulkan.hardware-compute",
    requirement:
      `android.hardware.vulkan.compute is 0 if the device has variablePointers and ${COMPUTE_BUFFERS} storage buffers a stage, and else not declared.`,
    source: TEST,
    skipsCpu: true,
    check: checkCompute,
  },
];

/** VK2: the choice among several devices. */
export const BEST_DEVICE_RULE: DriverRule = {
  id: "VK2",
  rule: "vulkan.best-device",
  requirement: "If there are several devices, one is at least as good as all others in level, compute and version.",
  source: TEST,
  skipsCpu: true,
  check: checkBest,
};

function checkLevel(device: DeviceFacts): Outcome {
  const level = levelOf(device), lacked = lackedFor(device);
  if (level === 1) return demand(true, "level 1: the device has every feature of the list", "");
  const lacks = lacked.length === 0 ? "" : `; for level 1 it lacks ${lacked.join(", ")}`;
  if (level === 0) return { ...demand(true, `level 0${lacks}`, ""), advice: "" };
  return demand(false, `no level: ${LEVEL_0_FEATURE} is missing${lacks}`, "the driver must have ETC2 textures");
}

function checkVersion({ apiVersion }: DeviceFacts, { release }: Circumstances): Outcome {
  const version = hardwareVersionOf(apiVersion, release), found = versionWithNumber(apiVersion);
  if (version !== undefined) return demand(true, `${found}, which earns 0x${version.toString(16)}`, "");
  const advice = `the driver must report a version that Android ${release} has a feature value for, 1.0.3 or newer`;
  return demand(false, `${found}, for which Android ${release} has no value`, advice);
}

function checkCompute(device: DeviceFacts): Outcome {
  const pointers = hasVariablePointers(device), buffers = storageBuffersOf(device);
  const found = `variablePointers ${pointers}, maxPerStageDescriptorStorageBuffers ${buffers}`;
  if (computeOf(device) === 0) return demand(true, `compute 0: ${found}`, "");
  return { status: "report", found: `none: ${found}; the feature must not be declared` };
}

function checkBest({ driver: { devices } }: Circumstances): Outcome {
  const best = bestDevice(devices);
  if (!best) return { status: "not-applicable", found: "there is no device" };
  const ranks = ranksOf(best),
    better = devices.filter((each) => !ranksOf(each).every((rank, index) => rank <= ranks[index]));
  const advice = "no set of values fits: leave out a device, or bring the one with the higher version up to the other";
  const found = better.length === 0
    ? `"${best.name}" of ${devices.length}`
    : `"${best.name}" is behind ${better.map(({ name }) => `"${name}"`).join(", ")} in one of them`;
  return demand(better.length === 0, found, advice);
}
