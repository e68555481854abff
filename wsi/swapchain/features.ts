import { peek32 } from "../../ffi/machine.ts";
import { findInChain, nextOf } from "../../loader/driver/structs/create_info.ts";
import { VkPhysicalDeviceImageCompressionControlFeaturesEXT } from "../../loader/gen/native_gen.ts";
import { fillChain } from "./out.ts";

/** Features of one struct. */
interface WindowFeatures {
  readonly sType: number;
  /** Which of them the window system has. */
  readonly has: object;
  /** The device extensions they belong to: it has them where one of these is offered. */
  readonly of: readonly string[];
}

/** The features that are the window system's affair, by struct: drivers neither answer for them nor get them. */
const FEATURES: Readonly<Record<string, WindowFeatures>> = {
  VkPhysicalDeviceSwapchainMaintenance1FeaturesKHR: {
    sType: 1000275000,
    has: { swapchainMaintenance1: true },
    of: ["VK_EXT_swapchain_maintenance1", "VK_KHR_swapchain_maintenance1"],
  },
  VkPhysicalDevicePresentIdFeaturesKHR: { sType: 1000294001, has: { presentId: true }, of: ["VK_KHR_present_id"] },
  VkPhysicalDevicePresentId2FeaturesKHR: { sType: 1000479002, has: { presentId2: true }, of: ["VK_KHR_present_id2"] },
  VkPhysicalDevicePresentWait2FeaturesKHR: {
    sType: 1000480001,
    has: { presentWait2: true },
    of: ["VK_KHR_present_wait2"],
  },
  VkPhysicalDevicePresentTimingFeaturesEXT: {
    sType: 1000208000,
    has: { presentTiming: true, presentAtAbsoluteTime: true, presentAtRelativeTime: false },
    of: ["VK_EXT_present_timing"],
  },
  VkPhysicalDevicePresentModeFifoLatestReadyFeaturesKHR: {
    sType: 1000361000,
    has: { presentModeFifoLatestReady: true },
    of: ["VK_EXT_present_mode_fifo_latest_ready", "VK_KHR_present_mode_fifo_latest_ready"],
  },
};
/** What swapchains can do about compression is what the driver can do about images'. */
const COMPRESSION = 1000338000, COMPRESSION_SWAPCHAIN = 1000437000;

/** Fills in, in a VkPhysicalDeviceFeatures2 that a driver filled, what the window system has, by the extensions it offers. */
export function patchFeatures(features: bigint, offered: ReadonlySet<string>): void {
  const known = Object.entries(FEATURES).filter(([, each]) => each.of.some((name) => offered.has(name)));
  const answers: Record<string, () => object> = Object.fromEntries(known.map(([name, { has }]) => [name, () => has]));
  const compression = findInChain(nextOf(features), COMPRESSION);
  if (compression !== 0n) {
    const imageCompressionControlSwapchain =
      peek32(compression + VkPhysicalDeviceImageCompressionControlFeaturesEXT.imageCompressionControl) !== 0;
    answers.VkPhysicalDeviceImageCompressionControlSwapchainFeaturesEXT = () => ({ imageCompressionControlSwapchain });
  }
  fillChain(features, answers);
}

/** Whether a struct of a VkDeviceCreateInfo's chain is the window system's. */
export function isWindowFeature({ sType }: { readonly sType: number }): boolean {
  return sType === COMPRESSION_SWAPCHAIN || Object.values(FEATURES).some((each) => each.sType === sType);
}
