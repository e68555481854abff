/** A script that knows of no layers; for `cli.ts run`. The driver is that of the variable TINY. */
import { loadVulkan } from "../../loader/mod.ts";

using vulkan = loadVulkan({ driver: Deno.env.get("TINY") });
using instance = vulkan.vkCreateInstance({});
const [gpu] = instance.vkEnumeratePhysicalDevices();
using device = gpu.vkCreateDevice({ pQueueCreateInfos: [{ queueFamilyIndex: 0, pQueuePriorities: [1] }] });
console.log(`script: ${device.vkGetEventStatus(8n as never)}`);
