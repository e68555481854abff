/**
 * A layer in which a driver has a fault, by the variable `FAULT`: every scissor that is half as wide as the scene is as
 * wide as the scene, or the process ends at its first draw.
 *
 * @module
 */
import { defineLayer } from "../../../../loader/mod.ts";

const fault = Deno.env.get("FAULT");

export default defineLayer({
  name: "VK_LAYER_TEST_faulty",
  commands: {
    vkCmdSetScissor(next, commandBuffer, firstScissor, scissorCount, pScissors) {
      if (fault !== "scissor" || this.read("VkRect2D", pScissors).extent?.width !== 8) {
        return next(commandBuffer, firstScissor, scissorCount, pScissors);
      }
      const wide = { offset: { x: 0, y: 0 }, extent: { width: 16, height: 16 } };
      return next(commandBuffer, firstScissor, scissorCount, this.writeAll("VkRect2D", [wide]));
    },
    vkCmdDraw(next, ...args) {
      if (fault === "end") Deno.kill(Deno.pid, "SIGKILL");
      return next(...args);
    },
  },
});
