/**
 * A layer in which a process ends, or stops, by the variable `ENDS`: the signal,
 * at its first draw, or at the first call of the command that `ENDS_AT` names.
 *
 * @module
 */
import type { Layer } from "../../../../../loader/layer.ts";
import { defineLayer } from "../../../../../loader/mod.ts";

export default defineLayer({
  name: "VK_LAYER_TEST_ending",
  commands: {
    [Deno.env.get("ENDS_AT") ?? "vkCmdDraw"](next: (...args: unknown[]) => void, ...args: unknown[]) {
      Deno.kill(Deno.pid, Deno.env.get("ENDS") as Deno.Signal);
      next(...args);
    },
  } as Layer["commands"],
});
