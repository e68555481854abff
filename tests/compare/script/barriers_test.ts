import { assertEquals } from "@std/assert";
import { wideDependencies, withoutTwins } from "../../../compare/script/barriers.ts";
import type { Node } from "../../../compare/script/node.ts";
import * as vk from "../../../loader/vk.ts";

const call = (open: string, ...items: string[]): Node => ({ open, items, close: ");", fills: true });

Deno.test("withoutTwins() leaves out barriers that a neighbour contains, and nothing else", () => {
  const full = "fullBarrier(commands);",
    zero = () => call("zeroImage(", "image1"),
    other = call("zeroImage(", "image2");
  const turn = call("turnImage(", "image1"), draw = "commands.vkCmdDraw(3, 1, 0, 0);";
  assertEquals(withoutTwins([full, full, turn, full, draw, full, draw]), [turn, draw, full, draw]);
  assertEquals(withoutTwins([zero(), zero(), other, draw, zero()]), [zero(), other, draw, zero()]);
});

Deno.test("wideDependencies() waits for all commands outside of a pass, and for graphics inside", () => {
  const dependency = { srcSubpass: vk.VK_SUBPASS_EXTERNAL, dstSubpass: 1, srcStageMask: 1, dependencyFlags: 1 };
  const [{ srcStageMask, dstStageMask, dependencyFlags, dstSubpass }] = wideDependencies([dependency]);
  assertEquals([srcStageMask, dstStageMask], [
    vk.VK_PIPELINE_STAGE_ALL_COMMANDS_BIT,
    vk.VK_PIPELINE_STAGE_ALL_GRAPHICS_BIT,
  ]);
  assertEquals([dependencyFlags, dstSubpass], [1, 1]);
});
