import { assertEquals } from "@std/assert";
import { leaveOut } from "../../../../workbench/recordings/reduce/search.ts";
import { dropped } from "../../../../workbench/recordings/reduce/drop.ts";
import { unitsOf } from "../../../../workbench/recordings/reduce/units.ts";
import type { RecordedLine } from "../../../../workbench/layers.ts";

const DEVICE = "VkDevice#1", ONE = "VkCommandBuffer#1", TWO = "VkCommandBuffer#2";

/** A recording with two buffers and two command buffers, of which the first writes the first buffer. */
const LINES: RecordedLine[] = [
  { command: "vkCreateBuffer", args: { device: DEVICE }, out: { pBuffer: "VkBuffer#1" } },
  { command: "vkAllocateMemory", args: { device: DEVICE }, out: { pMemory: "VkDeviceMemory#1" } },
  { command: "vkBindBufferMemory", args: { device: DEVICE, buffer: "VkBuffer#1", memory: "VkDeviceMemory#1" } },
  { command: "vkBeginCommandBuffer", args: { commandBuffer: ONE } },
  { command: "vkCmdFillBuffer", args: { commandBuffer: ONE, dstBuffer: "VkBuffer#1" } },
  { command: "vkEndCommandBuffer", args: { commandBuffer: ONE } },
  { command: "vkBeginCommandBuffer", args: { commandBuffer: TWO } },
  { command: "vkEndCommandBuffer", args: { commandBuffer: TWO } },
  { command: "vkCreateFence", args: { device: DEVICE }, out: { pFence: "VkFence#1" } },
  {
    command: "vkQueueSubmit",
    args: { queue: "VkQueue#1", pSubmits: [{ pCommandBuffers: [ONE, TWO] }], fence: "VkFence#1" },
  },
  { command: "vkWaitForFences", args: { device: DEVICE, pFences: ["VkFence#1"] } },
  { command: "vkDestroyBuffer", args: { device: DEVICE, buffer: "VkBuffer#1" } },
];

/** The commands that are left without some lines. */
function left(...indices: number[]): string[] {
  return dropped(LINES, new Set(indices)).map((line) => "command" in line ? line.command : "");
}

Deno.test("dropped() takes away what needs a line that is gone", () => {
  assertEquals(left(0).includes("vkCmdFillBuffer"), false);
  assertEquals(left(0).includes("vkDestroyBuffer"), false);
  // A buffer without memory cannot be used.
  assertEquals(left(1).filter((command) => /Buffer$|Memory$/.test(command) && !/Command/.test(command)), [
    "vkCreateBuffer",
  ]);
});

Deno.test("dropped() submits no command buffer that is not recorded, and no fence that is gone", () => {
  const [submit] = dropped(LINES, new Set([3, 4, 5, 8])).filter((line) =>
    "command" in line && /Submit/.test(line.command)
  );
  assertEquals("args" in submit && submit.args, { queue: "VkQueue#1", pSubmits: [{ pCommandBuffers: [TWO] }] });
  assertEquals(left(8).includes("vkWaitForFences"), false);
});

Deno.test("dropped() takes the end of a pass with its beginning, and no other end", () => {
  const commandBuffer = "VkCommandBuffer#1",
    record = (command: string, args: object = {}) => ({
      command,
      args: { commandBuffer, ...args },
    });
  const lines = [
    { command: "vkCreateImageView", args: {}, out: { pView: "VkImageView#1" } },
    record("vkCmdBeginRendering", { pRenderingInfo: { pColorAttachments: [{ imageView: "VkImageView#1" }] } }),
    record("vkCmdEndRendering"),
    record("vkCmdBeginRendering", { pRenderingInfo: {} }),
    record("vkCmdEndRendering"),
  ] as unknown as RecordedLine[];
  assertEquals(dropped(lines, new Set([0])), lines.slice(3));
});

Deno.test("unitsOf() never takes the beginning or the end of a command buffer alone", () => {
  const [after, endings, buffers, , singles] = unitsOf(LINES);
  assertEquals(after, [[10, 11]]);
  assertEquals(endings, [[11]]);
  assertEquals(buffers, [[3, 4, 5], [6, 7]]);
  assertEquals(singles.flat(), [0, 1, 4, 8, 9, 10, 11]);
});

Deno.test("leaveOut() leaves out all but what a condition needs, with few questions", async () => {
  const items = Array.from({ length: 100 }, (_, index) => index), needed = [17, 63, 64];
  let asked = 0;
  const out = await leaveOut(items, (gone) => {
    asked++;
    return Promise.resolve(!gone.some((each) => needed.includes(each)));
  });
  assertEquals(items.filter((each) => !out.includes(each)), needed);
  assertEquals(asked < 60, true, `${asked} questions`);
  assertEquals(await leaveOut([], () => Promise.resolve(true)), []);
});
