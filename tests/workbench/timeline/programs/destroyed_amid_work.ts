/**
 * Destroys a device while its GPU works, under a trace that is written to the second argument, on the driver that is
 * the first. Prints what was left behind and what the trace shows of the work.
 */
import { VK_BUFFER_USAGE_TRANSFER_DST_BIT } from "../../../../loader/vk.ts";
import { objectLeaks } from "../../../../loader/layers/shipped/leaks/object_leaks.ts";
import { loadVulkan } from "../../../../loader/mod.ts";
import { perfettoTrace } from "../../../../workbench/timeline/mod.ts";
import { decodeTrace } from "../decode.ts";

const [driver, path] = Deno.args, leaks = objectLeaks(), SIZE = 1 << 24, TIMES = 50;
using trace = perfettoTrace({ path });
{
  using vulkan = loadVulkan({ driver, layers: [trace.layer, leaks.layer] });
  using instance = vulkan.vkCreateInstance({});
  const [gpu] = instance.vkEnumeratePhysicalDevices();
  const device = gpu.vkCreateDevice({ pQueueCreateInfos: [{ queueFamilyIndex: 0, pQueuePriorities: [1] }] });
  const buffer = device.vkCreateBuffer({ size: BigInt(SIZE), usage: VK_BUFFER_USAGE_TRANSFER_DST_BIT });
  const { size } = device.vkGetBufferMemoryRequirements(buffer);
  const memory = device.vkAllocateMemory({ allocationSize: size, memoryTypeIndex: 0 });
  device.vkBindBufferMemory(buffer, memory, 0n);
  const commandPool = device.vkCreateCommandPool({ queueFamilyIndex: 0 });
  const [commands] = device.vkAllocateCommandBuffers({ commandPool, commandBufferCount: 1 });
  commands.vkBeginCommandBuffer({});
  for (let each = 0; each < TIMES; each++) commands.vkCmdFillBuffer(buffer, 0n, BigInt(SIZE), each);
  commands.vkEndCommandBuffer();
  const fence = device.vkCreateFence({});
  device.vkGetDeviceQueue(0, 0).vkQueueSubmit([{ pCommandBuffers: [commands] }], fence);
  device.vkDestroyDevice();
  console.log(JSON.stringify({ left: leaks.report().leaked.map(({ type }) => type).sort() }));
}
trace.close();
const { slices } = decodeTrace(Deno.readFileSync(path));
console.log(JSON.stringify(slices.filter(({ track }) => track.includes("VkQueue")).map(({ args }) => args)));
