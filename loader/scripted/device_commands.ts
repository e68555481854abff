import { peek32, peek64, poke64 } from "../../ffi/machine.ts";
import type { RawCommands } from "../gen/raw_commands_gen.ts";
import { stringsAt } from "./answer.ts";
import { type DriverState, extensionNames } from "./state.ts";
import {
  VK_ERROR_EXTENSION_NOT_PRESENT,
  VK_ERROR_OUT_OF_HOST_MEMORY,
  VkDeviceCreateInfo,
  VkDeviceQueueInfo2,
} from "../gen/native_gen.ts";

const INFO = VkDeviceCreateInfo, QUEUE_INFO = VkDeviceQueueInfo2;

/** The commands on devices and their queues. Layers named for a device are ignored. */
export function deviceCommands({ objects }: DriverState): Partial<RawCommands> {
  const queue = (device: bigint, key: string) =>
    objects.get(device)?.parts.get(key) ?? objects.make("VkQueue", { owner: device, key });
  return {
    vkCreateDevice(gpu, info, allocator, out) {
      const physicalDevice = objects.get(gpu)?.physicalDevice;
      const extensions = stringsAt(
        peek32(info + INFO.enabledExtensionCount),
        peek64(info + INFO.ppEnabledExtensionNames),
      );
      const known = extensionNames(physicalDevice?.extensions);
      if (!extensions.every((name) => known.includes(name))) return VK_ERROR_EXTENSION_NOT_PRESENT;
      const device = objects.make("VkDevice", { allocator });
      poke64(out, device);
      if (device === 0n) return VK_ERROR_OUT_OF_HOST_MEMORY;
      Object.assign(objects.get(device)!, { physicalDevice, extensions });
      return 0;
    },
    vkDestroyDevice: (device, allocator) => objects.destroy(device, allocator),
    vkGetDeviceQueue: (device, family, index, out) => poke64(out, queue(device, `0 ${family} ${index}`)),
    vkGetDeviceQueue2(device, info, out) {
      const [flags, family, index] = [QUEUE_INFO.flags, QUEUE_INFO.queueFamilyIndex, QUEUE_INFO.queueIndex].map((at) =>
        peek32(info + at)
      );
      poke64(out, queue(device, `${flags} ${family} ${index}`));
    },
    vkResetDescriptorPool(_device, pool) {
      objects.destroyParts(pool);
      return 0;
    },
  };
}
