/**
 * A layer in which a process ends, or stops, at its first draw, by the variable
 * `ENDS`: the signal.
 *
 * @module
 */
import { defineLayer } from "../../../loader/mod.ts";

export default defineLayer({
  name: "VK_LAYER_TEST_ending",
  commands: {
    vkCmdDraw(next, ...args) {
      Deno.kill(Deno.pid, Deno.env.get("ENDS") as Deno.Signal);
      next(...args);
    },
  },
});
