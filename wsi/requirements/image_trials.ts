import { STYPE } from "../adaptor/constants.ts";
import { seen } from "../../loader/requirements/requirement.ts";
import type { Outcome } from "../../loader/requirements/verdict.ts";
import type { Trial, TrialBench } from "./trial.ts";
import { USAGE } from "../buffer/usage.ts";
import { FORMATS, IMAGE_USAGE, USAGE_COMMANDS } from "./trial_images.ts";
import { VK_SWAPCHAIN_IMAGE_USAGE_SHARED_BIT_ANDROID } from "../../loader/gen/native_gen.ts";

/** The document that describes native buffers and their fences. */
export const SOURCE =
  "vk_android_native_buffer.h; Android's implementation guide for Vulkan, window system integration";
/** The rule on which all other rules about images depend. */
export const IMAGE = "vulkan.native-buffer.image";
/** The revision that introduced images that are bound to buffers later. */
export const BINDING_REVISION = 8;
/** Usage bits whose meaning a vendor or gralloc decides. */
const PRIVATE_USAGE = USAGE.VENDOR_MASK | USAGE.VENDOR_MASK_LOW | USAGE.LAYOUT_RULE_MASK;
/** The requirement's number for each of the usage commands. */
const USAGE_IDS: Readonly<Record<string, string>> = { vkGetSwapchainGrallocUsageANDROID: "VK27" };

/** VK25 to VK30 and VK35: the extension, its answers about buffers, and images of buffers. */
export const IMAGE_TRIALS: readonly Trial[] = [
  {
    id: "VK25",
    rule: "vulkan.native-buffer.extension",
    requirement: "Under the window system a device has VK_ANDROID_native_buffer, revision 8 or newer since Android 10.",
    source: SOURCE,
    check({ own, revision }) {
      const whose = own === "driver" ? "the driver's own" : "provided by this loader, as the driver lacks it";
      return seen(revision >= BINDING_REVISION, `revision ${revision}, ${whose}`);
    },
  },
  ...USAGE_COMMANDS.map(([command, since]): Trial => ({
    id: USAGE_IDS[command] ?? "VK26",
    rule: `vulkan.native-buffer.${command}`,
    requirement: `${command} says which usage gralloc must give buffers for a format and image usage.`,
    source: SOURCE,
    check: (bench) => askUsage(bench, command, since),
  })),
  {
    id: "VK28",
    rule: IMAGE,
    requirement: "vkCreateImage takes VkNativeBufferANDROID and makes images of gralloc's buffers, of several at once.",
    source: SOURCE,
    check({ images }) {
      const made = [images.make(), images.make(), images.make()];
      const different = new Set(made.map(({ image }) => image)).size === made.length;
      return seen(different, `${made.length} images of as many buffers`);
    },
  },
  {
    id: "VK29",
    rule: "vulkan.native-buffer.formats",
    needs: [IMAGE],
    requirement:
      "Such images have the formats and usage that every surface offers, optimal tiling, and one layer, level and sample.",
    source: SOURCE,
    check({ images }) {
      for (const format of Object.values(FORMATS)) images.make(format);
      return seen(true, `${Object.keys(FORMATS).join(" and ")} RGBA of 8 bits, usage 0x${IMAGE_USAGE.toString(16)}`);
    },
  },
  {
    id: "VK30",
    rule: "vulkan.native-buffer.swapchain-usage",
    needs: [IMAGE],
    requirement: "VkSwapchainImageCreateInfoANDROID may be in the chain of such an image; sharing, if it is offered.",
    source: SOURCE,
    check({ images, sharedImage }) {
      const usages = sharedImage ? [0, VK_SWAPCHAIN_IMAGE_USAGE_SHARED_BIT_ANDROID] : [0];
      for (const usage of usages) images.make(FORMATS.unorm, [chained(usage)]);
      return seen(true, `images for usage ${usages.join(" and ")}`);
    },
  },
  {
    id: "VK35",
    rule: "vulkan.native-buffer.shared-image",
    requirement: "VkPhysicalDevicePresentationPropertiesANDROID says whether images may be shared.",
    source: SOURCE,
    check({ sharedImage }) {
      if (sharedImage === undefined) return { status: "not-applicable", found: "the device has Vulkan 1.0" };
      return { status: sharedImage ? "pass" : "report", found: `sharedImage ${sharedImage}` };
    },
  },
];

function chained(usage: number): object {
  return { sType: STYPE.SWAPCHAIN_IMAGE_CREATE_INFO_ANDROID, usage };
}

function askUsage({ images, revision }: TrialBench, command: string, since: number): Outcome {
  if (revision < since) {
    return { status: "not-applicable", found: `came with revision ${since}; the device has ${revision}` };
  }
  const usages = Object.values(FORMATS).map((format) => images.ask(command, format));
  const told = usages.map((usage) => `0x${(usage & ~PRIVATE_USAGE).toString(16)}`).join(" and ");
  return seen(usages.every((usage) => usage !== 0n), `${told}, besides bits of the vendor's own`);
}
