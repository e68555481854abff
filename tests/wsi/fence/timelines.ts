import { inFrame } from "../../../ffi/arena.ts";
import { cstring } from "../../../ffi/cstring.ts";
import type { VkDevice, VkQueue } from "../../../loader/gen/types_core_gen.ts";
import { loadVulkan } from "../../../loader/mod.ts";
import { lavapipePath, swiftshaderPath } from "../../../tools/setup/parts.ts";
import { NativeFence } from "../../../wsi/fence/native_fence.ts";
import { closeFenceWorker, fenceWorker } from "../../../wsi/fence/fence_worker.ts";

warmFences();

/** Makes the first fence of a process, whose functions stay bound and whose files stay open for good. */
function warmFences(): void {
  const { fence, signal } = NativeFence.create();
  signal();
  NativeFence.adopt(fence.take()).poll();
}

/** The software drivers that tests run on. */
export const DRIVERS: readonly (readonly [name: string, path: string | undefined])[] = [
  ["lavapipe", lavapipePath()],
  ["SwiftShader", swiftshaderPath()],
];

const VK_SEMAPHORE_TYPE_TIMELINE = 1;

/** A device with timeline semaphores. */
export interface Timelines extends Disposable {
  readonly device: VkDevice;
  readonly queue: VkQueue;
  /** The device and the addresses of the commands that fences are made of. */
  readonly on: {
    readonly device: bigint;
    readonly vkSignalSemaphore: bigint;
    readonly vkWaitSemaphores: bigint;
    readonly vkWaitForFences: bigint;
  };
  /** A new timeline semaphore; destroyed with the device. */
  timeline(value?: bigint): bigint;
}

/** Opens one; at the end of a `using` scope the fence worker forgets it and everything is closed. */
export function openTimelines(driver: string): Timelines {
  const vulkan = loadVulkan({ driver });
  const instance = vulkan.vkCreateInstance({ pApplicationInfo: { apiVersion: 0x403000 } });
  const [gpu] = instance.vkEnumeratePhysicalDevices();
  const device = gpu.vkCreateDevice({
    pQueueCreateInfos: [{ queueFamilyIndex: 0, pQueuePriorities: [1] }],
    pNext: [{ sType: 51, timelineSemaphore: true }],
  });
  const made: bigint[] = [];
  const find = (name: string) => addressOf(device, name);
  return {
    device,
    queue: device.vkGetDeviceQueue(0, 0),
    on: {
      device: device.handle,
      vkSignalSemaphore: find("vkSignalSemaphore"),
      vkWaitSemaphores: find("vkWaitSemaphores"),
      vkWaitForFences: find("vkWaitForFences"),
    },
    timeline(initialValue = 0n) {
      const type = { sType: 1000207002 as const, semaphoreType: VK_SEMAPHORE_TYPE_TIMELINE, initialValue };
      const semaphore = device.vkCreateSemaphore({ pNext: [type] });
      made.push(semaphore);
      return semaphore;
    },
    [Symbol.dispose]() {
      fenceWorker().forgetDevice(device.handle);
      for (const semaphore of made) device.vkDestroySemaphore(semaphore as never);
      vulkan.close();
    },
  };
}

function addressOf(device: VkDevice, name: string): bigint {
  return inFrame((memory) => {
    const address = device.raw.vkGetDeviceProcAddr(device.handle, memory.place(cstring(name)));
    return address;
  });
}

/** Ends the fence worker's thread at the end of a `using` scope. */
export function endingWorker(): Disposable {
  return { [Symbol.dispose]: closeFenceWorker };
}
