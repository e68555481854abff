import { assert, assertEquals } from "@std/assert";
import { edited } from "../../../../workbench/recordings/reduce/edits.ts";
import { isSmaller, type Measure, measureOf } from "../../../../workbench/recordings/reduce/measure.ts";
import {
  countEdits,
  defaultEdits,
  type EditGroup,
  halfEdits,
  leastEdits,
  needlessEdits,
} from "../../../../workbench/recordings/reduce/shrink.ts";
import type { RecordedBytes, RecordedCall, RecordedLine } from "../../../../workbench/layers.ts";

const ALL = { countEdits, leastEdits, defaultEdits, halfEdits, needlessEdits };
const WHOLE_SIZE = "18446744073709551615";
const LINES: RecordedLine[] = [
  { command: "vkCreateBuffer", args: { device: "VkDevice#1", pCreateInfo: { size: "307200", usage: 3, flags: 0 } } },
  {
    command: "vkCreateImage",
    args: { pCreateInfo: { extent: { width: 64, height: 9, depth: 1 }, mipLevels: 3, arrayLayers: 2 } },
  },
  {
    command: "vkCreateImageView",
    args: {
      pCreateInfo: { subresourceRange: { baseMipLevel: 1, levelCount: 3, layerCount: 2 }, components: { r: 3 } },
    },
  },
  { command: "vkCmdDraw", args: { commandBuffer: "VkCommandBuffer#1", vertexCount: 12, instanceCount: 4 } },
  {
    command: "vkCmdCopyBuffer",
    args: { pRegions: [{ srcOffset: "16", dstOffset: 0, size: "64" }, { srcOffset: "0", dstOffset: 0, size: 32 }] },
  },
  { command: "vkCmdFillBuffer", args: { dstOffset: "0", size: WHOLE_SIZE, data: 0x12345678 } },
  { command: "vkCmdSetViewport", args: { pViewports: [{ x: 0.5, y: -2.25, width: 63.5, height: -8, maxDepth: 1 }] } },
];

const measure = (lines: readonly RecordedLine[]): Measure => measureOf(lines, weigh);
const weigh = (content: RecordedBytes) => ({ bytes: (content as Uint8Array).length, set: 0 });
const changed = (lines: readonly RecordedLine[], ...groups: EditGroup[]) => edited(lines, groups.flat());

for (const [name, editsOf] of Object.entries(ALL)) {
  Deno.test(`${name}() makes a recording smaller by every edit, so that edits end`, () => {
    let lines: readonly RecordedLine[] = LINES, rounds = 0;
    for (let groups = editsOf(lines); groups.length > 0 && rounds < 100; groups = editsOf(lines), rounds++) {
      for (const group of groups) {
        assert(isSmaller(measure(changed(lines, group)), measure(lines)), JSON.stringify(group));
      }
      lines = changed(lines, ...groups);
    }
    assert(rounds > 0 && rounds < 100, `${rounds} rounds`);
  });
}

Deno.test("halfEdits() halves numbers of 64 bits, which are text, and leaves VK_WHOLE_SIZE", () => {
  const [buffer, , , , copy, fill] = changed(LINES, ...halfEdits(LINES)).map((line) =>
    "command" in line ? line.args : {}
  );
  assertEquals(buffer.pCreateInfo.size, "153600");
  assertEquals(copy.pRegions.map(({ size }: { size: unknown }) => size), ["32", 16]);
  assertEquals(fill.size, WHOLE_SIZE);
});

Deno.test("leastEdits() changes the levels and layers of an image and of its views together", () => {
  const groups = leastEdits(LINES).filter((group) => group.length > 1).map((group) => changed(LINES, group));
  const both = groups.map((lines) => lines.slice(1, 3).map((line) => JSON.stringify(line)).join());
  assert(both.some((text) => text.includes('"mipLevels":1') && text.includes('"levelCount":1')), both.join("\n"));
  assert(both.some((text) => text.includes('"arrayLayers":1') && text.includes('"layerCount":1')), both.join("\n"));
});

Deno.test("isSmaller() compares lines first, then bytes, then values, and no recording with itself", () => {
  assertEquals(isSmaller([1, 9, 9, 9, 9n], [2, 0, 0, 0, 0n]), true);
  assertEquals(isSmaller([2, 0, 0, 0, 0n], [1, 9, 9, 9, 9n]), false);
  assertEquals(isSmaller([1, 2, 3, 4, 2n ** 64n], [1, 2, 3, 4, 2n ** 64n + 1n]), true);
  assertEquals(isSmaller(measure(LINES), measure(LINES)), false);
});

Deno.test("needlessEdits() takes several bits of one value away at once", () => {
  const { pCreateInfo } = (changed(LINES, ...needlessEdits(LINES))[0] as RecordedCall).args;
  assertEquals(pCreateInfo.usage, 0);
});

Deno.test("needlessEdits() leaves the flags of a copy of query results, which wait until there are results", () => {
  assertEquals(needlessEdits([{ command: "vkCmdCopyQueryPoolResults", args: { flags: 3 } }]), []);
});
