/**
 * Ends instances and devices that were made with an allocator, without naming the allocator again.
 *
 * deno run … tests/loader/api/programs/allocated.ts DRIVER
 */
import { loadVulkan } from "../../../../loader/mod.ts";
import { countingAllocator } from "../../../support/allocator.ts";
import { carryOutRows } from "../../../support/rows.ts";

const QUEUE = { pQueueCreateInfos: [{ queueFamilyIndex: 0, pQueuePriorities: [1] }] };
const vulkan = loadVulkan({ driver: Deno.args[0] });

await carryOutRows({
  "using": () => {
    using allocator = countingAllocator();
    {
      using instance = vulkan.vkCreateInstance({}, allocator.callbacks);
      using _device = instance.vkEnumeratePhysicalDevices()[0].vkCreateDevice(QUEUE, allocator.callbacks);
    }
    return left(allocator);
  },
  "instance.close()": () => {
    using allocator = countingAllocator();
    const instance = vulkan.vkCreateInstance({}, allocator.callbacks);
    instance.vkEnumeratePhysicalDevices()[0].vkCreateDevice(QUEUE, allocator.callbacks);
    instance.close();
    return left(allocator);
  },
});
vulkan.close();

function left({ calls, live }: ReturnType<typeof countingAllocator>): string {
  return calls === 0 ? "never asked" : live === 0 ? "nothing left" : `${live} left`;
}
