/**
 * Small good inputs, of which hostile ones are made: each has every member that its reader knows.
 *
 * @module
 */
import type { CommandName } from "../../hwc/remote/commands.ts";
import type { TraceLine } from "../../loader/layers/shipped/trace/line.ts";
import { PROTOCOL, type ResultMessage, type WorkerCard } from "../../workbench/runs/queue/messages.ts";

/** A manifest of a driver. */
export const ICD: unknown = {
  file_format_version: "1.0.1",
  ICD: { library_path: "./libvulkan_x.so", library_arch: "64", api_version: "1.3.230", is_portability_driver: true },
};

/** A manifest of layers. */
export const LAYER: unknown = {
  file_format_version: "1.2.1",
  layers: [
    {
      name: "VK_LAYER_A_one",
      type: "GLOBAL",
      library_path: "./liblayer.so",
      api_version: "1.3.230",
      implementation_version: "1",
      description: "one",
      functions: { vkGetInstanceProcAddr: "a", vkGetDeviceProcAddr: "b", vkNegotiateLoaderLayerInterfaceVersion: "c" },
      instance_extensions: [{ name: "VK_EXT_debug_utils", spec_version: "1" }],
      device_extensions: [{ name: "VK_EXT_x", spec_version: "2", entrypoints: ["vkA", "vkB"] }],
      enable_environment: { ON: "1" },
      disable_environment: { OFF: "1" },
      pre_instance_functions: { vkEnumerateInstanceVersion: "d" },
    },
    {
      name: "VK_LAYER_LUNARG_override",
      type: "GLOBAL",
      api_version: "1.1.0",
      implementation_version: "1",
      description: "two",
      component_layers: ["VK_LAYER_A_one"],
      blacklisted_layers: ["VK_LAYER_B"],
      override_paths: ["/tmp"],
      app_keys: ["/bin/a"],
      disable_environment: { OFF: "1" },
    },
  ],
};

/** A manifest of an EGL vendor. */
export const VENDOR: unknown = { file_format_version: "1.0.0", ICD: { library_path: "libEGL_x.so.0" } };

/** A settings file of the Vulkan loader. */
export const SETTINGS: unknown = {
  file_format_version: "1.0.1",
  settings: {
    stderr_log: ["error", "warn"],
    log_locations: [{ destinations: ["stderr"], filters: ["error"] }],
    layers: [
      { name: "VK_LAYER_A", path: "/tmp/a.json", control: "on", treat_as_implicit_manifest: false },
      { control: "unordered_layer_location" },
    ],
    additional_drivers: [{ path: "/tmp/b.json" }],
    additional_drivers_use_exclusively: false,
    device_configurations: [{ deviceUUID: [1, 2, 3], driverUUID: [4], deviceName: "x", driverVersion: 1 }],
  },
  settings_array: [{ app_keys: ["/bin/a"], layers: [{ name: "VK_LAYER_B", control: "auto" }] }],
};

/** Lines of vk_layer_settings.txt. */
export const LAYER_SETTINGS = "# of layers\npumice_api_trace.path = a.txt\npumice_api_trace.frames = 1,2\n" +
  "pumice_api_profile.keep = 3\npumice_device_limits.file = b.json\npumice_device_twin.strictness = used\n";

/** A build.prop. */
export const PROPERTIES = "# build\nimport /x.prop\nro.board.platform=sun\nro.hardware.vulkan = a = b\nempty=\n";

/** The output of getprop. */
export const PRINTED_PROPERTIES = "[ro.board.platform]: [sun]\n[two.lines]: [a\nb]\n[empty]: []\n";

/** Entries of a blob cache. */
export const ENTRIES = [
  { key: new Uint8Array([1, 2, 3]), value: new Uint8Array([4, 5, 6, 7, 8]) },
  { key: new Uint8Array([9]), value: new Uint8Array([4, 5]) },
];

/** The lines of a recording. */
export const RECORDING: readonly unknown[] = [
  { schema: "pumice-recording", version: 1 },
  { command: "vkCreateInstance", args: { pCreateInfo: { sType: 1 } }, result: 0, out: { pInstance: "VkInstance:1" } },
  {
    command: "vkCreateBuffer",
    args: { device: "VkDevice:1", pCreateInfo: { size: "64", usage: 2, pQueueFamilyIndices: [0] } },
    result: 0,
    out: { pBuffer: "VkBuffer:1" },
    thread: 2,
  },
  { memory: "VkDeviceMemory:1", offset: 0, data: { inline: "AAECAw==" } },
  { lines: 3, crc32: "0" },
];

const COMMANDS = { commandBuffer: "VkCommandBuffer#1" };
/** A recording of a program that fills a buffer and clears an image. */
export const PROGRAM: readonly unknown[] = [
  { schema: "pumice-recording", version: 1 },
  { command: "vkCreateInstance", args: { pCreateInfo: { sType: 1 } }, result: 0, out: { pInstance: "VkInstance#1" } },
  {
    command: "vkEnumeratePhysicalDevices",
    args: { instance: "VkInstance#1" },
    result: 0,
    out: { pPhysicalDevices: ["VkPhysicalDevice#1"] },
  },
  {
    command: "vkCreateDevice",
    args: {
      physicalDevice: "VkPhysicalDevice#1",
      pCreateInfo: { sType: 3, pQueueCreateInfos: [{ sType: 2, queueFamilyIndex: 0, pQueuePriorities: [1] }] },
    },
    result: 0,
    out: { pDevice: "VkDevice#1" },
  },
  {
    command: "vkGetDeviceQueue",
    args: { device: "VkDevice#1", queueFamilyIndex: 0, queueIndex: 0 },
    out: { pQueue: "VkQueue#1" },
  },
  {
    command: "vkCreateBuffer",
    args: { device: "VkDevice#1", pCreateInfo: { sType: 12, size: "64", usage: 2 } },
    result: 0,
    out: { pBuffer: "VkBuffer#1" },
  },
  {
    command: "vkCreateImage",
    args: {
      device: "VkDevice#1",
      pCreateInfo: {
        sType: 14,
        imageType: 1,
        format: 37,
        extent: { width: 4, height: 4, depth: 1 },
        mipLevels: 1,
        arrayLayers: 1,
        samples: 1,
        usage: 2,
      },
    },
    result: 0,
    out: { pImage: "VkImage#1" },
  },
  {
    command: "vkCreateCommandPool",
    args: { device: "VkDevice#1", pCreateInfo: { sType: 39, queueFamilyIndex: 0 } },
    result: 0,
    out: { pCommandPool: "VkCommandPool#1" },
  },
  {
    command: "vkAllocateCommandBuffers",
    args: {
      device: "VkDevice#1",
      pAllocateInfo: { sType: 40, commandPool: "VkCommandPool#1", level: 0, commandBufferCount: 1 },
    },
    result: 0,
    out: { pCommandBuffers: ["VkCommandBuffer#1"] },
  },
  { command: "vkBeginCommandBuffer", args: { ...COMMANDS, pBeginInfo: { sType: 42 } }, result: 0 },
  { command: "vkCmdFillBuffer", args: { ...COMMANDS, dstBuffer: "VkBuffer#1", dstOffset: "0", size: "4", data: 7 } },
  {
    command: "vkCmdClearColorImage",
    args: {
      ...COMMANDS,
      image: "VkImage#1",
      imageLayout: 7,
      pColor: { float32: [0, 0, 0, 1] },
      pRanges: [{ aspectMask: 1, baseMipLevel: 0, levelCount: 1, baseArrayLayer: 0, layerCount: 1 }],
    },
  },
  { command: "vkEndCommandBuffer", args: COMMANDS, result: 0 },
  {
    command: "vkQueueSubmit",
    args: { queue: "VkQueue#1", pSubmits: [{ sType: 4, pCommandBuffers: ["VkCommandBuffer#1"] }], fence: null },
    result: 0,
  },
  { command: "vkQueueWaitIdle", args: { queue: "VkQueue#1" }, result: 0 },
];

/** The manifest of a black box. */
export const RING: unknown = { process: 1, segments: [], submissions: [], closed: true };

const LIMITS = { maxImageDimension2D: 4096, maxMemoryAllocationCount: 4096, timestampPeriod: 1 };
const DEVICE = {
  properties: { apiVersion: 4206592, driverVersion: 1, vendorID: 1, deviceName: "x", limits: LIMITS },
  features: { robustBufferAccess: 1, geometryShader: 0 },
  extensions: [{ extensionName: "VK_KHR_swapchain", specVersion: 70 }],
  formats: [[37, { linearTilingFeatures: 1, optimalTilingFeatures: 3, bufferFeatures: 0 }]],
  queues: [{ queueFlags: 7, queueCount: 1, minImageTransferGranularity: { width: 1, height: 1, depth: 1 } }],
  memory: { memoryTypes: [{ propertyFlags: 7, heapIndex: 0 }], memoryHeaps: [{ size: 1 << 30, flags: 1 }] },
};

/** Descriptions of a device, as vkjson has them. */
export const VKJSON: unknown = { apiVersion: 4206592, extensions: [], devices: [DEVICE] };

/** A profile. */
export const PROFILE: unknown = {
  capabilities: {
    base: {
      extensions: { VK_KHR_swapchain: 1 },
      features: { VkPhysicalDeviceFeatures: { robustBufferAccess: true } },
      properties: { VkPhysicalDeviceProperties: { limits: LIMITS } },
      formats: {
        VK_FORMAT_R8G8B8A8_UNORM: { VkFormatProperties: { optimalTilingFeatures: ["VK_FORMAT_FEATURE_BLIT_SRC_BIT"] } },
      },
      queueFamiliesProperties: [{ VkQueueFamilyProperties: { queueFlags: ["VK_QUEUE_GRAPHICS_BIT"], queueCount: 1 } }],
    },
  },
  profiles: {
    VP_X_one: { version: 1, "api-version": "1.3.200", label: "one", capabilities: ["base", ["base"]], profiles: [] },
  },
};

/** A report of the public hardware database. */
export const REPORT: unknown = {
  ...DEVICE,
  environment: { version: "3" },
  properties: { ...DEVICE.properties, subgroupProperties: { subgroupSize: 4 } },
  core11: { features: { multiview: true }, properties: { subgroupSize: 4 } },
  extended: {
    devicefeatures2: [{ extension: "VK_EXT_robustness2", name: "nullDescriptor", supported: true }],
    deviceproperties2: [{
      extension: "VK_EXT_robustness2",
      name: "robustUniformBufferAccessSizeAlignment",
      value: "4",
    }],
  },
};

const RECT = { left: 0, top: 1, right: 2, bottom: 3 };

/** Commands for a composer in another process. */
export const BATCH: readonly (readonly [CommandName, ...unknown[]])[] = [
  ["setLayerDisplayFrame", 1n, 2n, RECT],
  ["setLayerSurfaceDamage", 1n, 2n, [RECT, RECT]],
  ["setColorTransform", 1n, Array(16).fill(0.5), 1],
  ["setLayerGenericMetadata", 1n, 2n, "a.b", true, new Uint8Array([1, 2, 3])],
  ["setHdrConversionStrategy", { autoAllowedHdrTypes: [1, 2] }],
  ["setLayerBuffer", 1n, 2n, null, null],
  ["createVirtualDisplay", 8, 8, 1],
  ["presentDisplay", 1n],
];

/** Commands of HIDL's queue: a display, a layer, and settings of both. */
export const WORDS = new Uint32Array([0x0000_0002, 1, 0, 0x0001_0002, 2, 0, 0x0302_0001, 1, 0x0305_0004, 0, 0, 8, 8]);

/** A message of a page with a viewer. */
export const PAGE_MESSAGE: unknown = { type: "ack", window: 1, shown: 2, request: { do: "pause" } };

/** A request of a page. */
export const PAGE_REQUEST: unknown = { do: "planes", layer: 1, panel: 2, display: 3, name: "four" };

/** Verdicts of a worker. */
export const RESULT: ResultMessage = {
  worker: "w",
  delivery: 1,
  verdicts: [[0, "Pass", "", 0.5], [1, "Fail", "no", null, { a: 1 }, 1]],
  begun: 2,
  left: 1,
};

/** The card of a worker. */
export const CARD: WorkerCard = {
  worker: "w",
  protocol: PROTOCOL,
  version: "0.1.0",
  host: "h",
  pid: 1,
  os: "linux",
  arch: "x86_64",
  slots: 2,
  tags: { soc: "x" },
  drivers: [{
    name: "lvp",
    path: "/a.so",
    devices: [{ name: "llvmpipe", uuid: "00", driverVersion: 1, api: "1.3.230" }],
  }],
};

/** A log of dEQP. */
export const QPA = `#beginSession\n#beginTestCaseResult dEQP-VK.a.b
<TestCaseResult><Number Name="TestDuration" Tag="Time">17</Number>
<Result StatusCode="Pass">a &amp; b &#65;</Result>\n</TestCaseResult>
#endTestCaseResult\n#beginTestCaseResult dEQP-VK.a.c\n#terminateTestCaseResult Timeout\n#endSession\n`;

/** Results as lines. */
export const RESULTS = "# known\na.b,Pass,0.5\na%2Cc,Fail\n";

/** A trace of calls, with structs, a chain and a call that did not return. */
export const TRACE: readonly TraceLine[] = [
  { schema: "pumice-api-trace", version: 1 },
  {
    call: 1,
    frame: 0,
    command: "vkCreateBuffer",
    in: {
      device: "0x7f",
      pCreateInfo: {
        flags: 1,
        size: "64",
        usage: 3,
        sharingMode: 0,
        pQueueFamilyIndices: [0, 1],
        pNext: [{ sType: 1000072000, handleTypes: 1 }],
      },
      pAllocator: null,
    },
  },
  { call: 1, command: "vkCreateBuffer", out: { pBuffer: "0x55" }, result: 0, us: 3.2 },
  { call: 2, frame: 1, command: "vkQueueSubmit", in: { queue: "0x7e", submitCount: 0, pSubmits: [], fence: "0x0" } },
];
