/**
 * A layer that waits for ever with an instance, by its number, which the
 * variable `WAITS_AT` says, and then writes the file that `WAITS_IN` names.
 *
 * @module
 */
import { defineLayer } from "../../../../../loader/mod.ts";

let instances = 0;

export default defineLayer({
  name: "VK_LAYER_TEST_waiting",
  commands: {
    vkCreateInstance(next, ...args) {
      if (++instances === Number(Deno.env.get("WAITS_AT"))) {
        Deno.writeTextFileSync(Deno.env.get("WAITS_IN")!, "");
        Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0);
      }
      return next(...args);
    },
  },
});
