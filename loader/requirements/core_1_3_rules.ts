import { type DeviceFacts, hasFeature, hasFeatureOf } from "./facts.ts";
import { findExtension } from "../command/registry/extension.ts";
import { demand } from "./requirement.ts";
import type { DeviceRule } from "./rule.ts";
import { V1_3, V1_4 } from "../version.ts";

const GUIDE = "Android's implementation guide for Vulkan, Vulkan 1.3";
const SPECIFICATION = "Vulkan specification, feature requirements";
const VULKAN_11 = "VkPhysicalDeviceVulkan11Features", VULKAN_12 = "VkPhysicalDeviceVulkan12Features";
const VULKAN_13 = "VkPhysicalDeviceVulkan13Features", VULKAN_14 = "VkPhysicalDeviceVulkan14Features";
/** The features of 1.3 that the guide names. */
const NAMED: readonly (readonly [rule: string, feature: string, requirement: string])[] = [
  ["dynamic-rendering", "dynamicRendering", "Devices of 1.3 render without render pass objects."],
  ["terminate-invocation", "shaderTerminateInvocation", "Devices of 1.3 end a shader's invocation at once."],
  [
    "pipeline-creation",
    "pipelineCreationCacheControl",
    "Devices of 1.3 let applications control how pipelines are made and shared.",
  ],
  ["synchronization", "synchronization2", "Devices of 1.3 have the reworked synchronization."],
];
/** The commands that made state dynamic. */
const DYNAMIC_STATE = /^vkCmdSet|^vkCmdBindVertexBuffers2$/;
/** The other features that a version makes mandatory. */
const MANDATORY: Readonly<Record<string, readonly string[]>> = {
  VkPhysicalDeviceFeatures: ["robustBufferAccess"],
  [VULKAN_11]: ["multiview"],
  [VULKAN_12]: [
    "subgroupBroadcastDynamicId",
    "imagelessFramebuffer",
    "uniformBufferStandardLayout",
    "shaderSubgroupExtendedTypes",
    "separateDepthStencilLayouts",
    "hostQueryReset",
    "timelineSemaphore",
    "bufferDeviceAddress",
    "vulkanMemoryModel",
    "vulkanMemoryModelDeviceScope",
  ],
  [VULKAN_13]: [
    "robustImageAccess",
    "inlineUniformBlock",
    "privateData",
    "shaderDemoteToHelperInvocation",
    "subgroupSizeControl",
    "computeFullSubgroups",
    "shaderZeroInitializeWorkgroupMemory",
    "shaderIntegerDotProduct",
    "maintenance4",
  ],
};
/** The further features that 1.4 makes mandatory. */
const MANDATORY_1_4: Readonly<Record<string, readonly string[]>> = {
  [VULKAN_14]: [
    "globalPriorityQuery",
    "shaderSubgroupRotate",
    "shaderFloatControls2",
    "shaderExpectAssume",
    "vertexAttributeInstanceRateDivisor",
    "indexTypeUint8",
    "dynamicRenderingLocalRead",
    "maintenance5",
    "maintenance6",
    "pushDescriptor",
  ],
};

/** VK18: the additions of 1.3, and the features that come with 1.3 and 1.4. */
export const CORE_1_3_RULES: readonly DeviceRule[] = [
  ...NAMED.map(([name, feature, requirement]): DeviceRule => ({
    id: "VK18",
    rule: `vulkan.1_3.${name}`,
    requirement,
    source: GUIDE,
    version: V1_3,
    check(device) {
      const has = hasFeatureOf(device, VULKAN_13, feature);
      return demand(has, `${feature} ${has}`, `the driver must support ${feature}`);
    },
  })),
  {
    id: "VK18",
    rule: "vulkan.1_3.dynamic-state",
    requirement: "Devices of 1.3 have the commands that make state dynamic.",
    source: GUIDE,
    version: V1_3,
    check(device) {
      const wanted = findExtension("VK_VERSION_1_3")!.commands.filter((name) => DYNAMIC_STATE.test(name));
      const { commands, problem } = device.unresolved(wanted);
      const found = problem ?? (commands.length === 0 ? `all ${wanted.length} commands` : `no ${commands.join(", ")}`);
      return demand(problem === undefined && commands.length === 0, found, "the driver must have every one of them");
    },
  },
  mandatoryRule(
    "vulkan.1_3.features",
    "Devices of 1.3 have every feature that Vulkan 1.3 makes mandatory.",
    V1_3,
    MANDATORY,
  ),
  mandatoryRule(
    "vulkan.1_4.features",
    "Devices of 1.4 have the features that Vulkan 1.4 took over and made mandatory.",
    V1_4,
    MANDATORY_1_4,
  ),
];

function mandatoryRule(
  rule: string,
  requirement: string,
  version: number,
  mandatory: Readonly<Record<string, readonly string[]>>,
): DeviceRule {
  return {
    id: "VK18",
    rule,
    requirement,
    source: SPECIFICATION,
    version,
    check(device) {
      const missing = missingOf(device, mandatory), count = Object.values(mandatory).flat().length;
      const found = missing.length === 0 ? `all ${count}` : `no ${missing.join(", ")}`;
      return demand(missing.length === 0, found, "the driver must support what its version makes mandatory");
    },
  };
}

function missingOf(device: DeviceFacts, mandatory: Readonly<Record<string, readonly string[]>>): string[] {
  return Object.entries(mandatory).flatMap(([struct, names]) =>
    names.filter((name) =>
      !(struct === "VkPhysicalDeviceFeatures" ? hasFeature(device, name) : hasFeatureOf(device, struct, name))
    )
  );
}
