import { peek32, peek64, poke32, poke64 } from "../../ffi/machine.ts";
import { requestedExtensions } from "../../loader/driver/structs/create_info.ts";
import type { Layer } from "../../loader/layer.ts";
import { structAt } from "../../loader/codec/codec.ts";
import type { RawCommands } from "../../loader/types.ts";
import type { Adaptor } from "./adaptor.ts";
import { AdaptorDevice } from "./adaptor_device.ts";
import { NATIVE_BUFFER, RESULT } from "./constants.ts";
import { devicePlans } from "./device_plan.ts";
import { write } from "./struct.ts";
import { NativeFence } from "../fence/native_fence.ts";
import { VkDeviceQueueInfo2 } from "../../loader/gen/native_gen.ts";
import type { GrallocUsage } from "./usage_rules.ts";

/** The adaptor's hooks for devices and queues. */
export function deviceHooks(adaptor: Adaptor): NonNullable<Layer["commands"]> {
  return {
    vkCreateDevice: (next, ...args) => createDevice(adaptor, next, ...args),
    vkDestroyDevice(next, device, allocator) {
      if (device !== 0n) adaptor.leave(device)?.close();
      next(device, allocator);
    },
    vkGetDeviceQueue(next, device, family, index, out) {
      next(device, family, index, out);
      adaptor.deviceOf(device)?.noteQueue(peek64(out), family);
    },
    vkGetDeviceQueue2(next, device, info, out) {
      next(device, info, out);
      adaptor.deviceOf(device)?.noteQueue(peek64(out), peek32(info + VkDeviceQueueInfo2.queueFamilyIndex));
    },
  };
}

function createDevice(
  adaptor: Adaptor,
  next: RawCommands["vkCreateDevice"],
  gpu: bigint,
  info: bigint,
  allocator: bigint,
  out: bigint,
): number {
  if (!requestedExtensions(info).includes(NATIVE_BUFFER)) return next(gpu, info, allocator, out);
  const { layer, options } = adaptor, instance = adaptor.instanceOf(gpu), facts = instance.gpu(gpu);
  if (facts.hasOwn) return next(gpu, info, allocator, out);
  let result = 0;
  for (const plan of devicePlans(structAt("VkDeviceCreateInfo", info), facts, instance.facts)) {
    result = next(gpu, write("VkDeviceCreateInfo", plan.info), allocator, out);
    if (result < 0) continue;
    adaptor.enter(new AdaptorDevice({ layer, handle: peek64(out), gpu: facts, plan, options }));
    break;
  }
  return result;
}

/** The commands that begin and end a frame. */
export function frameHooks(adaptor: Adaptor): NonNullable<Layer["commands"]> {
  return {
    vkAcquireImageANDROID(next, device, image, fd, semaphore, fence) {
      if (!adaptor.deviceOf(device)) return next(device, image, fd, semaphore, fence);
      return adaptor.acquire(device, image, NativeFence.adopt(fd), semaphore, fence);
    },
    vkQueueSignalReleaseImageANDROID(next, queue, count, waits, image, out) {
      if (!adaptor.deviceOf(queue)) return next(queue, count, waits, image, out);
      const fence = adaptor.release(queue, count, waits, image);
      poke32(out, typeof fence === "number" ? -1 : fence.take());
      return typeof fence === "number" ? fence : RESULT.SUCCESS;
    },
  };
}

/** The queries for gralloc usage, in all four versions. */
export function usageHooks(adaptor: Adaptor): NonNullable<Layer["commands"]> {
  const answer = (handle: bigint, asked: Asked, put: (usage: GrallocUsage) => void): number | undefined => {
    const device = adaptor.deviceOf(handle);
    if (!device) return undefined;
    const usage = device.rules.usageFor(asked.format, asked.imageUsage, asked.swapchainImageUsage ?? 0);
    if (!usage) return RESULT.ERROR_FORMAT_NOT_SUPPORTED;
    put(usage);
    return RESULT.SUCCESS;
  };
  return {
    vkGetSwapchainGrallocUsageANDROID: (next, device, format, imageUsage, out) =>
      answer(device, { format, imageUsage }, (usage) => poke32(out, shortUsage(usage))) ??
        next(device, format, imageUsage, out),
    vkGetSwapchainGrallocUsage2ANDROID: (next, device, format, imageUsage, swapchainImageUsage, consumers, producers) =>
      answer(device, { format, imageUsage, swapchainImageUsage }, ({ consumer, producer }) => {
        poke64(consumers, consumer);
        poke64(producers, producer);
      }) ?? next(device, format, imageUsage, swapchainImageUsage, consumers, producers),
    vkGetSwapchainGrallocUsage3ANDROID: (next, device, info, out) =>
      answer(device, structAt("VkGrallocUsageInfoANDROID", info) as never, (usage) => poke64(out, both(usage))) ??
        next(device, info, out),
    vkGetSwapchainGrallocUsage4ANDROID: (next, device, info, out) =>
      answer(device, structAt("VkGrallocUsageInfo2ANDROID", info) as never, (usage) => poke64(out, both(usage))) ??
        next(device, info, out),
  };
}

/** The arguments of a query. */
interface Asked {
  readonly format: number;
  readonly imageUsage: number;
  readonly swapchainImageUsage?: number;
}

function both({ consumer, producer }: GrallocUsage): bigint {
  return consumer | producer;
}

/**
 * The usage for gralloc 0, which has 32 bits and none to spare for a layout
 * rule. Its own layout may differ from the driver's; images of such buffers are
 * copied.
 */
function shortUsage(usage: GrallocUsage): number {
  return Number(both(usage) & 0x0fffffffn);
}
