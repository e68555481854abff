import "../support/warm_loader.ts";
import { assert, assertEquals } from "@std/assert";
import { compareDrivers } from "../../compare/mod.ts";
import { isAction } from "../../compare/follow/effects.ts";
import { readRecording } from "../../loader/layers.ts";
import { lavapipePath } from "../../tools/setup/parts.ts";
import { recordDemo } from "../loader/replay/recorded.ts";
import { needs } from "../support/require.ts";
import { withFolderAsync } from "../support/temporary.ts";
import type { Plant } from "./programs/planted_layer.ts";

const LAYER = new URL("programs/planted_layer.ts", import.meta.url).pathname;

/** A fault, and the action that shows it: a number of the action's command, from the planted call on. */
interface Row extends Plant {
  readonly about: string;
  /** The command that must be named, and which of its calls. None for a fault that changes nothing. */
  readonly shows?: readonly [command: string, nth: number];
}

const GRAPHICS = "VkGraphicsPipelineCreateInfo";
const ROWS: readonly Row[] = [
  { about: "a draw is dropped", command: "vkCmdDrawIndexed", nth: 2, change: "drop", shows: ["vkCmdDrawIndexed", 2] },
  {
    about: "fewer indices",
    command: "vkCmdDrawIndexed",
    nth: 1,
    change: "add",
    at: 1,
    by: -3,
    shows: ["vkCmdDrawIndexed", 1],
  },
  {
    about: "fewer instances",
    command: "vkCmdDrawIndexed",
    nth: 0,
    change: "add",
    at: 2,
    by: -800,
    shows: ["vkCmdDrawIndexed", 0],
  },
  {
    about: "another first index",
    command: "vkCmdDrawIndexed",
    nth: 1,
    change: "add",
    at: 3,
    by: 3,
    shows: ["vkCmdDrawIndexed", 1],
  },
  {
    about: "another vertex offset",
    command: "vkCmdDrawIndexed",
    nth: 1,
    change: "add",
    at: 4,
    by: 1,
    shows: ["vkCmdDrawIndexed", 1],
  },
  { about: "the backdrop is dropped", command: "vkCmdDraw", nth: 0, change: "drop", shows: ["vkCmdDraw", 0] },
  { about: "no vertices", command: "vkCmdDraw", nth: 0, change: "add", at: 1, by: -3, shows: ["vkCmdDraw", 0] },
  {
    about: "a first dispatch is smaller",
    command: "vkCmdDispatch",
    nth: 0,
    change: "add",
    at: 2,
    by: -1,
    shows: ["vkCmdDispatch", 0],
  },
  {
    about: "a dispatch is smaller",
    command: "vkCmdDispatch",
    nth: 1,
    change: "add",
    at: 1,
    by: -1,
    shows: ["vkCmdDispatch", 1],
  },
  {
    about: "the last dispatch is dropped",
    command: "vkCmdDispatch",
    nth: 2,
    change: "drop",
    shows: ["vkCmdDispatch", 2],
  },
  {
    about: "a push constant",
    command: "vkCmdPushConstants",
    nth: 1,
    change: "word",
    at: 5,
    by: 0x100000,
    shows: ["vkCmdDrawIndexed", 2],
  },
  {
    about: "an index buffer's offset",
    command: "vkCmdBindIndexBuffer",
    nth: 1,
    change: "add",
    at: 2,
    by: 6,
    shows: ["vkCmdDrawIndexed", 1],
  },
  {
    about: "a vertex buffer's offset",
    command: "vkCmdBindVertexBuffers",
    nth: 2,
    change: "long",
    at: 4,
    by: 4,
    shows: ["vkCmdDrawIndexed", 2],
  },
  {
    about: "a smaller render area",
    command: "vkCmdBeginRenderPass",
    nth: 1,
    change: "struct",
    at: 1,
    struct: "VkRenderPassBeginInfo",
    members: { "renderArea.extent.width": 100 },
    shows: ["vkCmdBeginRenderPass", 1],
  },
  {
    about: "a clear value of depth",
    command: "vkCmdBeginRenderPass",
    nth: 0,
    change: "struct",
    at: 1,
    struct: "VkRenderPassBeginInfo",
    members: { "pClearValues.0.depthStencil": { depth: 0.5, stencil: 0 } },
    shows: ["vkCmdBeginRenderPass", 0],
  },
  {
    about: "a scissor by one pixel",
    command: "vkCreateGraphicsPipelines",
    nth: 2,
    change: "struct",
    at: 3,
    struct: GRAPHICS,
    members: { "pViewportState.pScissors.0.offset.x": 1 },
    shows: ["vkCmdDraw", 0],
  },
  {
    about: "another depth comparison",
    command: "vkCreateGraphicsPipelines",
    nth: 1,
    change: "struct",
    at: 3,
    struct: GRAPHICS,
    members: { "pDepthStencilState.depthCompareOp": 4 },
    shows: ["vkCmdDrawIndexed", 1],
  },
  {
    about: "no writing of red",
    command: "vkCreateGraphicsPipelines",
    nth: 1,
    change: "struct",
    at: 3,
    struct: GRAPHICS,
    members: { "pColorBlendState.pAttachments.0.colorWriteMask": 14 },
    shows: ["vkCmdDrawIndexed", 1],
  },
  { about: "nothing at all", command: "vkCmdDraw", nth: 0, change: "add", at: 1, by: 0 },
  { about: "a call that is not there", command: "vkCmdDraw", nth: 7, change: "drop" },
];

/** The number of the line of the nth call of a command. */
function lineOf(path: string, [command, nth]: readonly [string, number]): number {
  const found = readRecording(path).lines.flatMap((line, index) =>
    "command" in line && line.command === command ? [index + 2] : []
  );
  return found[nth];
}

Deno.test(
  "compareDrivers() names the call that a fault is planted in",
  needs("Mesa lavapipe", lavapipePath()),
  async (test) => {
    await withFolderAsync(async (folder) => {
      const driver = lavapipePath()!, recording = `${folder}/demo.jsonl`;
      recordDemo(recording, driver);
      for (const { about, shows, ...plant } of ROWS) {
        await test.step(about, async () => {
          Deno.env.set("PLANT", JSON.stringify(plant));
          const { finding, replays } = await compareDrivers(recording, [{ driver }, { driver, layers: [LAYER] }]);
          if (!shows) return assertEquals(finding, undefined);
          const action = finding?.action;
          assert(action !== undefined, JSON.stringify(finding));
          const { command, line, of } = action!;
          assertEquals([command, line], [shows[0], lineOf(recording, shows)]);
          assert(isAction(command));
          assert(replays <= 1 + Math.ceil(Math.log2(of)) + 2, `${replays} replays for ${of} actions`);
        });
      }
    });
  },
);
