/**
 * A layer whose fault comes with every other device: fills fill with the next
 * larger word.
 *
 * @module
 */
import { defineLayer } from "../../../../../loader/mod.ts";

let devices = 0;

export default defineLayer({
  name: "VK_LAYER_TEST_flaky",
  commands: {
    vkCreateDevice(next, ...args) {
      devices++;
      return next(...args);
    },
    vkCmdFillBuffer: (next, commands, buffer, offset, size, data) =>
      next(commands, buffer, offset, size, data + devices % 2 >>> 0),
  },
});
