import { poke32, poke64 } from "../../ffi/machine.ts";
import type { Layer } from "../../loader/layer.ts";
import { structAt } from "../../loader/codec/struct_at.ts";
import type { Adaptor } from "./adaptor.ts";
import { RESULT } from "./constants.ts";
import type { GrallocUsage } from "./usage_rules.ts";

/** The queries for what gralloc is to allocate buffers with, in all four versions. */
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

/** What a query asks about. */
interface Asked {
  readonly format: number;
  readonly imageUsage: number;
  readonly swapchainImageUsage?: number;
}

function both({ consumer, producer }: GrallocUsage): bigint {
  return consumer | producer;
}

/**
 * For gralloc 0, which has 32 bits and none to spare for a layout rule. Its own
 * layout may not be the driver's; images of such buffers are copied.
 */
function shortUsage(usage: GrallocUsage): number {
  return Number(both(usage) & 0x0fffffffn);
}
