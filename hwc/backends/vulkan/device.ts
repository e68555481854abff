import { oneOf, type OptionRules, text, yesOrNo } from "../../../ffi/check_options.ts";
import type { Vulkan } from "../../../loader/mod.ts";
import type { VkDevice, VkMemoryType, VkPhysicalDevice, VkQueue } from "../../../loader/gen/types_core_gen.ts";
import {
  VK_API_VERSION_1_1,
  VK_EXTERNAL_MEMORY_FEATURE_IMPORTABLE_BIT,
  VK_EXTERNAL_MEMORY_HANDLE_TYPE_DMA_BUF_BIT_EXT,
  VK_EXTERNAL_MEMORY_HANDLE_TYPE_HOST_ALLOCATION_BIT_EXT,
  VK_EXTERNAL_MEMORY_HANDLE_TYPE_OPAQUE_FD_BIT,
  VK_PHYSICAL_DEVICE_TYPE_DISCRETE_GPU,
  VK_QUEUE_COMPUTE_BIT,
  VK_QUEUE_FAMILY_EXTERNAL,
  VK_QUEUE_FAMILY_FOREIGN_EXT,
} from "../../../loader/gen/enums_core_gen.js";
import { VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_EXTERNAL_MEMORY_HOST_PROPERTIES_EXT } from "../../../loader/gen/enums_stype_gen.js";
import { CompositionError } from "../backend.ts";
import { STORAGE } from "./gpu_buffer.ts";
import type { LayersAtOnce } from "../shader/shape.ts";

/** Settings of the Vulkan backend. */
export interface VulkanBackendOptions {
  /** A part of the name of the physical device to use. Default: the first device that has a compute queue. */
  readonly device?: string;
  /**
   * Whether the shaders work in the buffers' own memory if the driver can import it. Default `true`; `false` copies
   * pixels.
   */
  readonly hostImport?: boolean;
  /** Whether a shader is compiled for each kind of layer. Default `true`; `false` is slow, and for comparison. */
  readonly specialise?: boolean;
  /**
   * Number of layers that one dispatch composes. Default 8, which reads and writes the target once; 1 compiles faster.
   */
  readonly layersAtOnce?: LayersAtOnce;
  /**
   * Whether the device's own memory is used for buffers that layers report as unchanged, which stay there, and for
   * buffers whose pixels are read more than once or out of order. Default: `true` on devices that have memory of their
   * own.
   */
  readonly deviceMemory?: boolean;
}

/** The options of the backend, with the values that fit. */
export const VULKAN_BACKEND_RULES: OptionRules<VulkanBackendOptions> = {
  device: text("a part of a device's name"),
  hostImport: yesOrNo,
  specialise: yesOrNo,
  layersAtOnce: oneOf(1, 8),
  deviceMemory: yesOrNo,
};

/** A device that composes. */
export interface ComposeDevice extends Disposable {
  /** The device's name, for reports. */
  readonly name: string;
  /** The physical device. */
  readonly gpu: VkPhysicalDevice;
  readonly device: VkDevice;
  readonly queue: VkQueue;
  readonly family: number;
  /** The queue family of whoever else uses an image. */
  readonly otherFamily: number;
  /** The handle type of memory in which images with a DRM format modifier are imported; 0 if they cannot be. */
  readonly tileMemory: number;
  readonly memoryTypes: readonly VkMemoryType[];
  /** The alignment of imported memory; 0 if no memory can be imported. */
  readonly importAlignment: number;
  /** The maximum number of bytes of a buffer that a shader can access. */
  readonly mostBytes: number;
  readonly specialise: boolean;
  readonly layersAtOnce: LayersAtOnce;
  readonly deviceMemory: boolean;
  /** Destroys everything, last made first. */
  readonly owned: DisposableStack;
}

const IMPORT_EXTENSION = "VK_EXT_external_memory_host";
/** The memory of images with a modifier: its handle type, and the extensions that the device needs. */
export interface TileMemory {
  readonly handleType: number;
  readonly extensions: readonly string[];
}

const MODIFIERS = ["VK_EXT_image_drm_format_modifier", "VK_KHR_external_memory_fd"];
/** Files that every device knows. */
const DMA_BUFS: TileMemory = {
  handleType: VK_EXTERNAL_MEMORY_HANDLE_TYPE_DMA_BUF_BIT_EXT,
  extensions: [...MODIFIERS, "VK_EXT_external_memory_dma_buf"],
};
/** Files that only their driver knows, for tests on devices that export no dma-bufs. */
export const OPAQUE_FILES: TileMemory = {
  handleType: VK_EXTERNAL_MEMORY_HANDLE_TYPE_OPAQUE_FD_BIT,
  extensions: MODIFIERS,
};
/** An extension on which these depend in Vulkan 1.1. */
const FORMAT_LIST = "VK_KHR_image_format_list";
/** The extension for memory of other drivers; without it the memory counts as another device's of the same driver. */
const FOREIGN = "VK_EXT_queue_family_foreign";

/** Opens a device of a loader with one queue that computes. Throws a `CompositionError` `device`, or what the loader throws. */
export function openComposeDevice(
  vulkan: Vulkan,
  options: VulkanBackendOptions,
  tileMemory: TileMemory = DMA_BUFS,
): ComposeDevice {
  const owned = new DisposableStack();
  try {
    return open(vulkan, options, owned, tileMemory);
  } catch (error) {
    owned.dispose();
    throw error;
  }
}

function open(
  vulkan: Vulkan,
  options: VulkanBackendOptions,
  owned: DisposableStack,
  tileMemory: TileMemory,
): ComposeDevice {
  const instance = owned.use(vulkan.vkCreateInstance({ pApplicationInfo: { apiVersion: VK_API_VERSION_1_1 } }));
  const { gpu, family } = choose(instance.vkEnumeratePhysicalDevices(), options.device);
  const tiles = extensionsForTiles(gpu, tileMemory.extensions);
  const importAlignment = options.hostImport === false ? 0 : alignmentOf(gpu);
  const device = owned.use(gpu.vkCreateDevice({
    pQueueCreateInfos: [{ queueFamilyIndex: family, pQueuePriorities: [1] }],
    ppEnabledExtensionNames: [...importAlignment > 0 ? [IMPORT_EXTENSION] : [], ...tiles],
  }));
  const { deviceName, deviceType, limits } = gpu.vkGetPhysicalDeviceProperties();
  return {
    name: deviceName,
    gpu,
    device,
    queue: device.vkGetDeviceQueue(family, 0),
    family,
    otherFamily: tiles.includes(FOREIGN) ? VK_QUEUE_FAMILY_FOREIGN_EXT : VK_QUEUE_FAMILY_EXTERNAL,
    tileMemory: tiles.length > 0 ? tileMemory.handleType : 0,
    memoryTypes: gpu.vkGetPhysicalDeviceMemoryProperties().memoryTypes,
    importAlignment,
    mostBytes: limits.maxStorageBufferRange,
    specialise: options.specialise ?? true,
    layersAtOnce: options.layersAtOnce ?? 8,
    deviceMemory: options.deviceMemory ?? deviceType === VK_PHYSICAL_DEVICE_TYPE_DISCRETE_GPU,
    owned,
    [Symbol.dispose]: () => owned.dispose(),
  };
}

function choose(gpus: readonly VkPhysicalDevice[], wanted = ""): { gpu: VkPhysicalDevice; family: number } {
  const names = gpus.map((gpu) => gpu.vkGetPhysicalDeviceProperties().deviceName);
  for (const [index, gpu] of gpus.entries()) {
    if (!names[index].includes(wanted)) continue;
    const families = gpu.vkGetPhysicalDeviceQueueFamilyProperties();
    const family = families.findIndex(({ queueFlags }) => (queueFlags & VK_QUEUE_COMPUTE_BIT) !== 0);
    if (family >= 0) return { gpu, family };
  }
  const found = names.length ? `found ${names.join(", ")}` : "the driver has no device";
  throw new CompositionError(
    "device",
    `Cannot compose with Vulkan: no device${wanted && ` "${wanted}"`} computes; ${found}`,
  );
}

/** The extensions with which a device imports tiles; none if it cannot. */
function extensionsForTiles(gpu: VkPhysicalDevice, needed: readonly string[]): string[] {
  const all = new Set(gpu.vkEnumerateDeviceExtensionProperties(null).map(({ extensionName }) => extensionName));
  if (!needed.every((name) => all.has(name))) return [];
  return [...needed, ...[FORMAT_LIST, FOREIGN].filter((name) => all.has(name))];
}

/** The alignment of imported memory, if the device says that it can import the memory of buffers. */
function alignmentOf(gpu: VkPhysicalDevice): number {
  const extensions = gpu.vkEnumerateDeviceExtensionProperties(null);
  if (!extensions.some(({ extensionName }) => extensionName === IMPORT_EXTENSION)) return 0;
  const handleType = VK_EXTERNAL_MEMORY_HANDLE_TYPE_HOST_ALLOCATION_BIT_EXT;
  const { externalMemoryProperties: { externalMemoryFeatures } } = gpu.vkGetPhysicalDeviceExternalBufferProperties({
    usage: STORAGE,
    handleType,
  });
  if ((externalMemoryFeatures & VK_EXTERNAL_MEMORY_FEATURE_IMPORTABLE_BIT) === 0) return 0;
  const sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_EXTERNAL_MEMORY_HOST_PROPERTIES_EXT;
  const { pNext: [properties] } = gpu.vkGetPhysicalDeviceProperties2([{ sType }]);
  return Number(properties.minImportedHostPointerAlignment);
}
