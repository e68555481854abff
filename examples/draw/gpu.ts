import type {
  VkBuffer,
  VkDevice,
  VkDeviceCreateInfo,
  VkDeviceMemory,
  VkImage,
  VkPhysicalDevice,
  VkPhysicalDeviceMemoryProperties,
  VkQueue,
} from "@pumice/gfx/vk";
import { VK_QUEUE_COMPUTE_BIT, VK_QUEUE_GRAPHICS_BIT } from "@pumice/gfx/vk";

/** A device ready to draw and compute, and where its memory comes from. */
export interface Gpu {
  /** The device. */
  readonly device: VkDevice;
  /** A queue that draws and computes. */
  readonly queue: VkQueue;
  /** The family the queue is of. */
  readonly queueFamilyIndex: number;
  /** The kinds of memory it has. */
  readonly memoryTypes: VkPhysicalDeviceMemoryProperties["memoryTypes"];
  /** The objects to destroy at the end, last made first, the device itself at the very end. */
  readonly owned: DisposableStack;
  /** Allocates memory with these properties for a buffer or an image and binds it. */
  bind(object: { buffer: VkBuffer } | { image: VkImage }, properties: number): VkDeviceMemory;
}

/** Makes a device with one queue that draws and computes; no extension and no feature but those of `wanted`. */
export function openGpu(physicalDevice: VkPhysicalDevice, wanted: Partial<VkDeviceCreateInfo> = {}): Gpu {
  const queueFamilyIndex = drawingFamily(physicalDevice);
  const pQueueCreateInfos = [{ queueFamilyIndex, pQueuePriorities: [1] }];
  const device = physicalDevice.vkCreateDevice({ ...wanted, pQueueCreateInfos });
  const queue = device.vkGetDeviceQueue(queueFamilyIndex, 0);
  const { memoryTypes } = physicalDevice.vkGetPhysicalDeviceMemoryProperties();
  const gpu = makeGpu({ device, queue, queueFamilyIndex, memoryTypes });
  gpu.owned.use(device);
  return gpu;
}

/** The same device with a stack of its own, for what is destroyed before the device is. */
export function openScope(gpu: Gpu): Gpu {
  return makeGpu(gpu);
}

function makeGpu({ device, queue, queueFamilyIndex, memoryTypes }: Omit<Gpu, "owned" | "bind">): Gpu {
  const owned = new DisposableStack();

  function allocate({ size, memoryTypeBits }: { size: bigint; memoryTypeBits: number }, properties: number) {
    const memoryTypeIndex = memoryTypes.findIndex((type, index) =>
      (memoryTypeBits >>> index & 1) === 1 && (type.propertyFlags & properties) === properties
    );
    if (memoryTypeIndex < 0) {
      throw new Error(`No memory type has properties 0x${properties.toString(16)}: try another driver`);
    }
    const memory = device.vkAllocateMemory({ allocationSize: size, memoryTypeIndex });
    owned.defer(() => device.vkFreeMemory(memory));
    return memory;
  }

  return {
    device,
    queue,
    queueFamilyIndex,
    memoryTypes,
    owned,
    bind(object, properties) {
      if ("buffer" in object) {
        const memory = allocate(device.vkGetBufferMemoryRequirements(object.buffer), properties);
        device.vkBindBufferMemory(object.buffer, memory, 0n);
        return memory;
      }
      const memory = allocate(device.vkGetImageMemoryRequirements(object.image), properties);
      device.vkBindImageMemory(object.image, memory, 0n);
      return memory;
    },
  };
}

function drawingFamily(physicalDevice: VkPhysicalDevice): number {
  const wanted = VK_QUEUE_GRAPHICS_BIT | VK_QUEUE_COMPUTE_BIT;
  const family = physicalDevice.vkGetPhysicalDeviceQueueFamilyProperties()
    .findIndex(({ queueFlags }) => (queueFlags & wanted) === wanted);
  if (family < 0) throw new Error("No queue family draws and computes: try another driver");
  return family;
}
