import { assertEquals } from "@std/assert";
import { edited } from "../../../../workbench/recordings/reduce/edits.ts";
import { groupEdits } from "../../../../workbench/recordings/reduce/groups.ts";
import type { RecordedLine } from "../../../../workbench/layers.ts";

const call = (command: string, args: object, out?: object) => ({ command, args, out }) as unknown as RecordedLine;
/** Each edit alone: the arguments of each call then. */
const results = (lines: RecordedLine[]) =>
  groupEdits(lines).map((group) => edited(lines, group).map((line) => (line as { args?: unknown }).args));

Deno.test("groupEdits() takes a binding with what is written into sets of its layout, and what is pushed there", () => {
  const layout = (...bindings: number[]) => ({ pCreateInfo: { pBindings: bindings.map((binding) => ({ binding })) } });
  const writes = (...all: [string, number][]) => ({
    pDescriptorWrites: all.map(([dstSet, dstBinding]) => ({ dstSet, dstBinding })),
  });
  const pipelineLayout = { pCreateInfo: { pSetLayouts: ["L#1"] } };
  const allocation = { pAllocateInfo: { pSetLayouts: ["L#1", "L#2"] } };
  const push = (...all: [string, number][]) => ({ layout: "P#1", set: 0, ...writes(...all) });
  const lines = [
    call("vkCreateDescriptorSetLayout", layout(3), { pSetLayout: "L#1" }),
    call("vkCreatePipelineLayout", pipelineLayout, { pPipelineLayout: "P#1" }),
    call("vkAllocateDescriptorSets", allocation, { pDescriptorSets: ["S#1", "S#2"] }),
    call("vkUpdateDescriptorSets", writes(["S#1", 3], ["S#2", 3], ["S#1", 4])),
    call("vkCmdPushDescriptorSetKHR", push(["", 3], ["", 4])),
  ];
  assertEquals(results(lines), [
    [layout(), pipelineLayout, allocation, writes(["S#2", 3], ["S#1", 4]), push(["", 4])],
  ]);
});

Deno.test("groupEdits() takes the depth of a pass with its view and its clear value", () => {
  const pass = (attachments: number, subpass: object) => ({
    pCreateInfo: { pAttachments: Array(attachments).fill({}), pSubpasses: [subpass] },
  });
  const frame = (...pAttachments: string[]) => ({ pCreateInfo: { renderPass: "R#1", pAttachments } });
  const begin = (...pClearValues: number[]) => ({ pRenderPassBegin: { renderPass: "R#1", pClearValues } });
  const linesOf = (subpass: object) => [
    call("vkCreateRenderPass", pass(2, subpass), { pRenderPass: "R#1" }),
    call("vkCreateFramebuffer", frame("V#1", "V#2")),
    call("vkCmdBeginRenderPass", begin(5, 6)),
  ];
  const pColorAttachments = [{ attachment: 0 }], depth = { pDepthStencilAttachment: { attachment: 1 } };
  assertEquals(results(linesOf({ pColorAttachments, ...depth })), [
    [pass(1, { pColorAttachments }), frame("V#1"), begin(5)],
  ]);
  assertEquals(results(linesOf({ pColorAttachments: [{ attachment: 0 }, { attachment: 1 }] })), []);
});

Deno.test("groupEdits() gives a pipeline the pass that begins, in the place of one that is only made for pipelines", () => {
  const pass = (name: string) =>
    call("vkCreateRenderPass", { pCreateInfo: { pSubpasses: [{}] } }, { pRenderPass: name });
  const pipeline = (renderPass: string) => ({ pCreateInfos: [{ renderPass }] });
  const begin = call("vkCmdBeginRenderPass", { pRenderPassBegin: { renderPass: "R#1" } });
  const lines = [pass("R#1"), pass("R#2"), call("vkCreateGraphicsPipelines", pipeline("R#2")), begin];
  assertEquals(results(lines).map((all) => all[2]), [pipeline("R#1")]);
  assertEquals(results([lines[1], lines[2], lines[0], begin]), []);
});
