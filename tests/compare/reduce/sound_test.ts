import { assertEquals } from "@std/assert";
import { isSound } from "../../../compare/reduce/sound.ts";
import type { RecordedLine } from "../../../loader/layers.ts";

const at = (x: number, y: number, z: number) => ({ x, y, z });

/** A blit, as in Vulkan 1.0 or 1.3. */
function blit(srcOffsets: unknown[], isNew: boolean): RecordedLine[] {
  const pRegions = [{ srcOffsets, dstOffsets: [at(4, 0, 0), at(0, 1, 1)] }], commandBuffer = "VkCommandBuffer#1";
  return [
    { command: "vkBeginCommandBuffer", args: { commandBuffer, pBeginInfo: { flags: 0 } } },
    isNew
      ? { command: "vkCmdBlitImage2", args: { commandBuffer, pBlitImageInfo: { pRegions } } }
      : { command: "vkCmdBlitImage", args: { commandBuffer, pRegions } },
  ];
}

for (const isNew of [false, true]) {
  Deno.test(`isSound() refuses a blit of Vulkan 1.${isNew ? 3 : 0} without a width, height or depth`, () => {
    assertEquals(isSound(blit([at(2, 0, 0), at(0, 1, 1)], isNew)), true);
    for (const end of [at(2, 1, 1), at(0, 0, 1), at(0, 1, 0)]) {
      assertEquals(isSound(blit([at(2, 0, 0), end], isNew)), false, JSON.stringify(end));
    }
  });
}
