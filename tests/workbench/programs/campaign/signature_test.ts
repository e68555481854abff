import { assertEquals } from "@std/assert";
import { signatureOf, toldAs } from "../../../../workbench/programs/campaign/findings.ts";
import type { ComparedPiece } from "../../../../workbench/recordings/compare/contents/piece.ts";
import type { DifferingAction, DriverDifference } from "../../../../workbench/recordings/compare/finding.ts";
import type { FuzzProgram } from "../../../../workbench/programs/generate.ts";
import type { RecordedLine } from "../../../../workbench/layers.ts";
import {
  VK_DYNAMIC_STATE_SCISSOR,
  VK_DYNAMIC_STATE_STENCIL_TEST_ENABLE,
  VK_FORMAT_D32_SFLOAT_S8_UINT,
  VK_FORMAT_R32_SFLOAT,
  VK_FORMAT_R32G32B32A32_SFLOAT,
  VK_FORMAT_R5G6B5_UNORM_PACK16,
} from "../../../../loader/vk.ts";

const LINES: readonly RecordedLine[] = [
  { command: "vkCreateImage", args: { pCreateInfo: { format: VK_FORMAT_R32_SFLOAT } }, out: { pImage: "VkImage#1" } },
  {
    command: "vkCreateImageView",
    args: { pCreateInfo: { image: "VkImage#1", format: VK_FORMAT_R32_SFLOAT } },
    out: { pView: "VkImageView#7" },
  },
  {
    command: "vkCmdBeginRendering",
    args: { pRenderingInfo: { pColorAttachments: [{ imageView: "VkImageView#7", resolveImageView: null }] } },
  },
];
const PROGRAM = { recording: { lines: LINES } } as unknown as FuzzProgram;

function signature(difference: Partial<DriverDifference>): string {
  const nothing = { kind: "differs", differences: [], contents: new Map() } as const;
  return signatureOf({ ...nothing, ...difference }, PROGRAM);
}

function differing(command: string, format: number, aspect = "color", source?: number) {
  const resources = source === undefined ? [] : [{ role: "srcImage", name: "VkImage#1", facts: { format: source } }];
  const action = { command, args: {}, boundState: { resources } } as unknown as DifferingAction;
  const piece = { image: { format, aspect } } as unknown as ComparedPiece;
  return { kind: "differs", action, differences: [{ piece }] } as const;
}

Deno.test("signatureOf() names command, format and aspect, and a copy of Vulkan 1.3 as that of 1.0", () => {
  assertEquals(signature(differing("vkCmdDraw", VK_FORMAT_R32_SFLOAT)), "differs: vkCmdDraw: R32_SFLOAT");
  assertEquals(
    signature(differing("vkCmdDraw", VK_FORMAT_D32_SFLOAT_S8_UINT, "stencil")),
    "differs: vkCmdDraw: D32_SFLOAT_S8_UINT stencil",
  );
  const blitted = ["vkCmdBlitImage", "vkCmdBlitImage2"].map((command) =>
    signature(differing(command, VK_FORMAT_R32G32B32A32_SFLOAT, "color", VK_FORMAT_R5G6B5_UNORM_PACK16))
  );
  assertEquals(new Set(blitted), new Set(["differs: vkCmdBlitImage: R5G6B5_UNORM_PACK16 to R32G32B32A32_SFLOAT"]));
});

Deno.test("signatureOf() names what sets a draw apart before its format", () => {
  const draw = differing("vkCmdDraw", VK_FORMAT_R32_SFLOAT);
  const told = (state: unknown) =>
    signature({
      ...draw,
      action: { ...draw.action, boundState: { ...draw.action.boundState, state } } as DifferingAction,
    });
  const plain = {
    pMultisampleState: { rasterizationSamples: 1 },
    pColorBlendState: { pAttachments: [{ blendEnable: false }] },
    pDynamicState: { pDynamicStates: [VK_DYNAMIC_STATE_SCISSOR] },
  };
  const blended = { ...plain, pColorBlendState: { pAttachments: [{ blendEnable: true }] } };
  const dynamic = { ...blended, pDynamicState: { pDynamicStates: [VK_DYNAMIC_STATE_STENCIL_TEST_ENABLE] } };
  const sampled = { ...dynamic, pMultisampleState: { rasterizationSamples: 4 } };
  assertEquals([plain, blended, dynamic, sampled].map(told), [
    "differs: vkCmdDraw: R32_SFLOAT",
    "differs: vkCmdDraw: blending: R32_SFLOAT",
    "differs: vkCmdDraw: dynamic state of 1.3: R32_SFLOAT",
    "differs: vkCmdDraw: several samples: R32_SFLOAT",
  ]);
});

Deno.test("signatureOf() names command and formats of what a driver ended at, and which driver", () => {
  assertEquals(
    signature({ kind: "crashed", side: 0, line: 4 }),
    "crashed on driver A: vkCmdBeginRendering: R32_SFLOAT",
  );
  assertEquals(signature({ kind: "timed out", side: 1, line: 2 }), "timed out on driver B: vkCreateImage");
  const { action } = differing("vkCmdBlitImage", 0, "color", VK_FORMAT_R32_SFLOAT);
  assertEquals(signature({ kind: "crashed", side: 1, action }), "crashed on driver B: vkCmdBlitImage: R32_SFLOAT");
});

Deno.test("toldAs() tells a command that differs with many formats as one fault from the fifth on", () => {
  const told: string[] = [];
  for (const format of ["A", "B", "C", "D", "E", "F", "B"]) told.push(toldAs(`differs: vkCmdDraw: ${format}`, told));
  assertEquals(told.map((each) => each.split(": ")[2]), [
    "A",
    "B",
    "C",
    "D",
    "further formats",
    "further formats",
    "B",
  ]);
  const blended = "differs: vkCmdDraw: blending: E";
  assertEquals(toldAs(blended, told), blended);
  assertEquals(toldAs("crashed on driver A: vkCmdEndRendering", told), "crashed on driver A: vkCmdEndRendering");
  assertEquals(toldAs("differs: vkCmdBlitImage: E", told), "differs: vkCmdBlitImage: E");
  assertEquals(toldAs("crashed on driver A: vkCmdDraw: E", told), "crashed on driver A: vkCmdDraw: E");
  assertEquals(toldAs("timed out on driver A", told), "timed out on driver A");
});
