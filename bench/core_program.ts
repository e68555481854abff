/**
 * The program that `import_vs_eval` runs: makes an instance, a device and one
 * buffer on the named driver, and prints how long that took after all imports,
 * in milliseconds, and the process's memory in bytes.
 */
import { loadVulkan } from "@pumice/gfx/core";

const start = performance.now();
using vulkan = loadVulkan({ driver: Deno.args[0] });
using instance = vulkan.vkCreateInstance({});
const [gpu] = instance.vkEnumeratePhysicalDevices();
using device = gpu.vkCreateDevice({ pQueueCreateInfos: [{ queueFamilyIndex: 0, pQueuePriorities: [1] }] });
device.vkCreateBuffer({ size: 65536n, usage: 2 });
console.log(performance.now() - start, Deno.memoryUsage().rss);
