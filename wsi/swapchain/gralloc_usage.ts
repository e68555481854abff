import { arena } from "../../ffi/arena.ts";
import { usageFromProducerConsumer } from "../buffer/usage.ts";
import type { Below, DeviceState } from "./environment.ts";

type Ask = (context: Below, device: bigint, asked: UsageQuestion) => bigint | number;

/** The properties of images for which usage bits are asked. */
export interface UsageQuestion {
  /** VkFormat value. */
  readonly format: number;
  /** VkImageUsageFlags. */
  readonly imageUsage: number;
  /** VkSwapchainImageUsageFlagsANDROID. */
  readonly swapchainUsage: number;
}

/** The four commands that return usage bits, newest first. */
const QUESTIONS: readonly (readonly [command: string, ask: Ask])[] = [
  ["vkGetSwapchainGrallocUsage4ANDROID", (context, device, { format, imageUsage, swapchainUsage }) => {
    const info = context.write("VkGrallocUsageInfo2ANDROID", {
      format: format as never,
      imageUsage: imageUsage as never,
      swapchainImageUsage: swapchainUsage as never,
    });
    return answered((out) => context.below(device).vkGetSwapchainGrallocUsage4ANDROID(device, info, out));
  }],
  ["vkGetSwapchainGrallocUsage3ANDROID", (context, device, { format, imageUsage }) => {
    const info = context.write("VkGrallocUsageInfoANDROID", {
      format: format as never,
      imageUsage: imageUsage as never,
    });
    return answered((out) => context.below(device).vkGetSwapchainGrallocUsage3ANDROID(device, info, out));
  }],
  [
    "vkGetSwapchainGrallocUsage2ANDROID",
    (context, device, { format, imageUsage, swapchainUsage }) =>
      answered((consumer, producer) =>
        context.below(device).vkGetSwapchainGrallocUsage2ANDROID(
          device,
          format,
          imageUsage,
          swapchainUsage,
          consumer,
          producer,
        ), (consumer, producer) => usageFromProducerConsumer(producer, consumer)),
  ],
  ["vkGetSwapchainGrallocUsageANDROID", (context, device, { format, imageUsage }) =>
    answered(
      (out) => context.below(device).vkGetSwapchainGrallocUsageANDROID(device, format, imageUsage, out),
      (usage) => usage & 0xffff_ffffn,
    )],
];

/**
 * The gralloc usage bits that a device wants for swapchain images, from the newest of the four commands that the device
 * has. Returns a negative VkResult if the command fails or there is none.
 */
export function grallocUsage(context: Below, device: DeviceState, asked: UsageQuestion): bigint | number {
  const question = QUESTIONS.find(([command]) => device.isAdapted || device.has(command));
  return question ? question[1](context, device.handle, asked) : -3;
}

function answered(
  ask: (one: bigint, other: bigint) => number,
  join: (one: bigint, other: bigint) => bigint = (one) => one,
): bigint | number {
  const memory = arena(), at = memory.alloc(16);
  memory.view.setBigUint64(at, 0n, true);
  memory.view.setBigUint64(at + 8, 0n, true);
  const result = ask(memory.address(at), memory.address(at + 8));
  if (result < 0) return result;
  return join(memory.view.getBigUint64(at, true), memory.view.getBigUint64(at + 8, true));
}
