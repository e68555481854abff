/**
 * Traces into a file until the driver kills the process: `crash.ts FILE`.
 *
 * @module
 */
import { apiTrace } from "../../../../../loader/layers/shipped/trace/api_trace.ts";
import { defineDriver } from "../../../../../loader/drivers.ts";
import { loadVulkan } from "../../../../../loader/mod.ts";

using trace = apiTrace({ path: Deno.args[0] });
using driver = defineDriver({
  name: "crashing",
  commands: { vkDeviceWaitIdle: () => (Deno.kill(Deno.pid, "SIGKILL"), 0) },
});
using vulkan = loadVulkan({ driver, layers: [trace.layer] });
using instance = vulkan.vkCreateInstance({});
const [gpu] = instance.vkEnumeratePhysicalDevices();
using device = gpu.vkCreateDevice({ pQueueCreateInfos: [{ queueFamilyIndex: 0, pQueuePriorities: [1] }] });
device.vkDeviceWaitIdle();
