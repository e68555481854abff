import { fillChain } from "./out.ts";

/** The features that are the window system's affair, by struct: drivers neither answer for them nor get them. */
const FEATURES: Readonly<Record<string, { readonly sType: number; readonly has: object; readonly release: number }>> = {
  VkPhysicalDeviceSwapchainMaintenance1FeaturesKHR: {
    sType: 1000275000,
    has: { swapchainMaintenance1: true },
    release: 14,
  },
  VkPhysicalDevicePresentIdFeaturesKHR: { sType: 1000294001, has: { presentId: true }, release: 17 },
  VkPhysicalDevicePresentId2FeaturesKHR: { sType: 1000479002, has: { presentId2: true }, release: 17 },
  VkPhysicalDevicePresentWait2FeaturesKHR: { sType: 1000480001, has: { presentWait2: true }, release: 17 },
  VkPhysicalDevicePresentTimingFeaturesEXT: {
    sType: 1000208000,
    has: { presentTiming: true, presentAtAbsoluteTime: true, presentAtRelativeTime: false },
    release: 17,
  },
  VkPhysicalDevicePresentModeFifoLatestReadyFeaturesKHR: {
    sType: 1000361000,
    has: { presentModeFifoLatestReady: true },
    release: 17,
  },
};

/** Fills in, in a VkPhysicalDeviceFeatures2 that a driver filled, what the window system has. */
export function patchFeatures(features: bigint, release: number): void {
  const known = Object.entries(FEATURES).filter(([, each]) => release >= each.release);
  fillChain(features, Object.fromEntries(known.map(([name, { has }]) => [name, () => has])));
}

/** Whether a struct of a VkDeviceCreateInfo's chain is the window system's. */
export function isWindowFeature({ sType }: { readonly sType: number }): boolean {
  return Object.values(FEATURES).some((each) => each.sType === sType);
}
