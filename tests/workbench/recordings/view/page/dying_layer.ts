/**
 * A layer in which a driver's process ends at a submission, while there is a file that the variable `DIE` names.
 *
 * @module
 */
import { defineLayer } from "../../../../../loader/mod.ts";

const file = Deno.env.get("DIE");

export default defineLayer({
  name: "VK_LAYER_TEST_dying",
  commands: {
    vkQueueSubmit(next, ...args) {
      if (file !== undefined && isThere(file)) Deno.kill(Deno.pid, "SIGKILL");
      return next(...args);
    },
  },
});

function isThere(path: string): boolean {
  try {
    return Deno.statSync(path).isFile;
  } catch {
    return false;
  }
}
