import { assertEquals, assertThrows } from "@std/assert";
import { RecordingError, replayRecording } from "../../../../workbench/layers.ts";
import type { RecordedLine } from "../../../../workbench/recordings/record/line.ts";
import { compileFixture } from "../../../support/compile.ts";
import { needs } from "../../../support/require.ts";

const DRIVER = compileFixture("tiny_driver"); // has no vkDeviceWaitIdle, and no vkBeginCommandBuffer
const COMMANDS = { commandBuffer: "VkCommandBuffer#1" };

function call(command: string, args: object, out?: object): RecordedLine {
  return { command, args, ...out && { out } } as RecordedLine;
}

const DEVICE: readonly RecordedLine[] = [
  call("vkCreateInstance", { pCreateInfo: {} }, { pInstance: "VkInstance#1" }),
  call("vkCreateDevice", {
    physicalDevice: "VkPhysicalDevice#1",
    pCreateInfo: { pQueueCreateInfos: [{ queueFamilyIndex: 0, pQueuePriorities: [1] }] },
  }, { pDevice: "VkDevice#1" }),
];
const BEGINS: readonly RecordedLine[] = [
  ...DEVICE,
  call("vkCreateCommandPool", { device: "VkDevice#1", pCreateInfo: { queueFamilyIndex: 0 } }, {
    pCommandPool: "VkCommandPool#1",
  }),
  call("vkAllocateCommandBuffers", {
    device: "VkDevice#1",
    pAllocateInfo: { commandPool: "VkCommandPool#1", level: 0, commandBufferCount: 1 },
  }, { pCommandBuffers: ["VkCommandBuffer#1"] }),
  call("vkBeginCommandBuffer", { ...COMMANDS, pBeginInfo: {} }),
];

function errorOf(lines: readonly RecordedLine[]): RecordingError {
  const recording = { lines: [...lines], data: () => new Uint8Array() };
  return assertThrows(() => replayRecording({ driver: DRIVER! }, recording), RecordingError);
}

Deno.test(
  "a replay tells its own error, not that of a driver which cannot destroy what is left",
  needs("a C compiler", DRIVER),
  () => {
    const { message, line } = errorOf(BEGINS);
    assertEquals([message.includes("vkBeginCommandBuffer is not available"), line], [true, BEGINS.length + 1]);
  },
);

Deno.test("a replay that only cannot destroy what it made says so", needs("a C compiler", DRIVER), () => {
  const { message } = errorOf(DEVICE);
  assertEquals(/^Cannot destroy what the replay made: vkDeviceWaitIdle is not available/.test(message), true, message);
});
