/** A layer in which a process ends when the driver is asked about a format. */
import { defineLayer } from "../../../loader/mod.ts";
import type { Layer } from "../../../loader/layer.ts";

const layer: Layer = defineLayer({
  name: "VK_LAYER_TEST_ending_when_asked",
  commands: {
    vkGetPhysicalDeviceFormatProperties(next, ...args) {
      Deno.kill(Deno.pid, "SIGKILL");
      return next(...args);
    },
  },
});
export default layer;
