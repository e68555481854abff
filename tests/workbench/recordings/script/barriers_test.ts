import { assertEquals } from "@std/assert";
import { wideDependencies, withoutTwins } from "../../../../workbench/recordings/script/barriers.ts";
import type { Node } from "../../../../workbench/recordings/script/node.ts";
import * as vk from "../../../../loader/vk.ts";

const call = (open: string, ...items: string[]): Node => ({ open, items, close: ");", fills: true });

Deno.test("withoutTwins() leaves out barriers that a neighbour contains, and nothing else", () => {
  const full = "fullBarrier(commands);",
    zero = () => call("zeroImage(", "image1"),
    other = call("zeroImage(", "image2");
  const turn = call("turnImage(", "image1"), draw = "commands.vkCmdDraw(3, 1, 0, 0);";
  assertEquals(withoutTwins([full, full, turn, full, draw, full, draw]), [turn, draw, full, draw]);
  assertEquals(withoutTwins([zero(), zero(), other, draw, zero()]), [zero(), other, draw, zero()]);
});

Deno.test("withoutTwins() clears an image into the layout that the image gets next, if nothing happens between", () => {
  const zero = (image: string, layout: string, ...part: string[]) =>
    call("zeroImage(", "commands", image, layout, ...part);
  const turn = (image: string, from: string, to: string, ...part: string[]) =>
    call("turnImage(", "commands", image, from, to, ...part);
  const draw = "commands.vkCmdDraw(3, 1, 0, 0);";
  assertEquals(
    withoutTwins([zero("a", "dst"), zero("b", "dst"), turn("a", "dst", "color"), turn("b", "dst", "color")]),
    [
      zero("a", "color"),
      zero("b", "color"),
    ],
  );
  const others = [
    [zero("a", "dst"), draw, turn("a", "dst", "color")],
    [zero("a", "dst"), turn("a", "dst", "color", "one level")],
    [zero("b", "dst"), turn("a", "dst", "color")],
    [zero("a", "src"), turn("a", "dst", "color")],
  ];
  for (const lines of others) assertEquals(withoutTwins(lines), lines);
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
