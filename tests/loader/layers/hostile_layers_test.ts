import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { openBlocks } from "../../../ffi/block.ts";
import { DriverError, loadVulkan, VulkanError } from "../../../loader/mod.ts";
import { compileFixture } from "../../support/compile.ts";
import { needs } from "../../support/require.ts";
import { TINY } from "../tiny.ts";

const NEEDED = needs("a C compiler", TINY);

function layerOf(kind: string): string {
  return compileFixture("layer_hostile", [`-D${kind}`], kind.toLowerCase())!;
}

/** Makes a device under a layer, and lists extensions. Returns what was thrown. */
function outcomeUnder(kind: string): unknown {
  try {
    using vulkan = loadVulkan({ driver: TINY!, layers: [layerOf(kind)] });
    using instance = vulkan.vkCreateInstance({});
    const [gpu] = instance.vkEnumeratePhysicalDevices();
    gpu.vkEnumerateDeviceExtensionProperties(null);
    gpu.vkCreateDevice({ pQueueCreateInfos: [{ queueFamilyIndex: 0, pQueuePriorities: [1] }] }).close();
  } catch (error) {
    return error;
  }
}

Deno.test(
  "a native layer that answers nothing, nonsense or success without an object is refused in words",
  NEEDED,
  () => {
    const words = {
      NOTHING: "the vkGetInstanceProcAddr of the first one has no vkCreateInstance",
      ONLY: "have no vkDestroyInstance",
      REFUSES: "its vkNegotiateLoaderLayerInterfaceVersion returns VK_ERROR_INITIALIZATION_FAILED",
      VERSION: "its vkNegotiateLoaderLayerInterfaceVersion gives no vkGetInstanceProcAddr",
      RESULTS: "one of them returned success from vkCreateInstance, and no VkInstance",
      CODES: "one of them returned success from vkCreateInstance, and no VkInstance",
      DEVICE: "one of them returned success from vkCreateDevice, and no VkDevice",
      COUNTS: "the driver counts 4294967295 elements",
    };
    for (const [kind, sentence] of Object.entries(words)) {
      outcomeUnder(kind); // what stays for good is there then
      const blocks = openBlocks(), error = outcomeUnder(kind) as Error;
      assert(error instanceof DriverError || error instanceof VulkanError, `${kind}: ${error}`);
      assertStringIncludes(error.message, sentence, kind);
      assertEquals(openBlocks(), blocks, kind);
    }
  },
);

Deno.test("a native layer may call what is below it from threads of its own", NEEDED, () => {
  assertEquals(outcomeUnder("THREADS"), undefined);
});
