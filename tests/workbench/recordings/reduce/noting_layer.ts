/**
 * A layer that ends its process at the first fill. The file that the variable `NOTES` names gets the word "starts" when
 * a process has the layer, and "ends" when the layer ends the process.
 *
 * @module
 */
import { defineLayer } from "../../../../loader/mod.ts";

const note = (word: string) => Deno.writeTextFileSync(Deno.env.get("NOTES")!, `${word}\n`, { append: true });

note("starts");

export default defineLayer({
  name: "VK_LAYER_TEST_noting",
  commands: {
    vkCmdFillBuffer() {
      note("ends");
      Deno.kill(Deno.pid, "SIGKILL");
    },
  },
});
