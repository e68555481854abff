/** Records a program that is killed while its driver is in a call. */
import { defineDriver } from "../../../../../loader/drivers.ts";
import { apiRecording } from "../../../../../workbench/recordings/record/record.ts";
import { loadVulkan } from "../../../../../loader/mod.ts";

const recording = apiRecording({ path: Deno.args[0] });
const driver = defineDriver({
  name: "ends",
  commands: { vkCmdDispatch: () => Deno.kill(Deno.pid, "SIGKILL") },
});
const vulkan = loadVulkan({ driver, layers: [recording.layer] });
const [gpu] = vulkan.vkCreateInstance({}).vkEnumeratePhysicalDevices();
const device = gpu.vkCreateDevice({ pQueueCreateInfos: [{ queueFamilyIndex: 0, pQueuePriorities: [1] }] });
const commandPool = device.vkCreateCommandPool({ queueFamilyIndex: 0 });
const [commands] = device.vkAllocateCommandBuffers({ commandPool, level: 0, commandBufferCount: 1 });
commands.vkBeginCommandBuffer({});
commands.vkCmdDispatch(3, 2, 1);
