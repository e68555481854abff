/** A layer with one fault: every fill fills with the next larger word. */
import { defineLayer } from "../../../loader/mod.ts";
import type { Layer } from "../../../loader/layer.ts";

const layer: Layer = defineLayer({
  name: "VK_LAYER_TEST_other_fill",
  commands: {
    vkCmdFillBuffer: (next, commands, buffer, offset, size, data) =>
      next(commands, buffer, offset, size, (data + 1) >>> 0),
  },
});
export default layer;
