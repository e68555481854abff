/** A script that saves the layer of its argument as another one, and waits for that; for `cli.ts run --watch`. */
import { loadVulkan } from "../../loader/mod.ts";

const [path] = Deno.args;
using vulkan = loadVulkan({ driver: Deno.env.get("TINY") });
using instance = vulkan.vkCreateInstance({});
const [gpu] = instance.vkEnumeratePhysicalDevices();
using device = gpu.vkCreateDevice({ pQueueCreateInfos: [{ queueFamilyIndex: 0, pQueuePriorities: [1] }] });
Deno.writeTextFileSync(path, Deno.readTextFileSync(path).replace("41", "42"));
let status = 0;
for (let i = 0; i < 300 && status !== 42; i++) {
  await new Promise((resolve) => setTimeout(resolve, 10));
  status = device.vkGetEventStatus(8n as never);
}
console.log(`script: ${status}`);
