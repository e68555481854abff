/** Run by compile_test.ts in a runtime that forbids code generation: encodes and decodes, and prints the outcome. */
import { arena } from "../../../ffi/arena.ts";
import { codec } from "../../../loader/codec/codec.ts";
import { mayGenerate } from "../../../ffi/generated_code.ts";

const { size, encode, decode } = codec("VkDeviceCreateInfo"), place = arena().alloc(size);
encode({
  pNext: [{ sType: 51, timelineSemaphore: true }],
  pQueueCreateInfos: [{ queueFamilyIndex: 1, pQueuePriorities: [0.5, 1] }],
  ppEnabledExtensionNames: ["VK_KHR_swapchain"],
}, place);
let message = "";
try {
  encode({ flag: 1 }, place);
} catch (error) {
  message = (error as Error).message;
}
encode({ pQueueCreateInfos: [{ queueFamilyIndex: 1, pQueuePriorities: [0.5, 1] }] }, place);
console.log(JSON.stringify({ generates: mayGenerate(), queues: decode(place).pQueueCreateInfos, message }));
