/**
 * A layer for programs that you have no source of: everything is drawn at half
 * the size, in the corner of the window.
 *
 * ```sh
 * deno run -A cli.ts exec --layer=examples/half_viewport.ts -- vkcube --c 100
 * ```
 *
 * With `--watch` before the two hyphens, change the factor below and save the
 * file while the cube turns. `vkcube` comes with Debian's `vulkan-tools`.
 *
 * @module
 */
import { defineLayer } from "@pumice/gfx";

const FACTOR = 0.5;
/** Bytes of a VkViewport: x, y, width, height and two depths, 32 bits each. */
const VIEWPORT = 24n;

export default defineLayer({
  name: "VK_LAYER_EXAMPLE_half_viewport",
  commands: {
    vkCmdSetViewport(next, commandBuffer, first, count, pViewports) {
      // what the program passed is in its memory; what the hook writes is, too, until the hook returns
      const smaller = Array.from({ length: count }, (_, index) => {
        const viewport = this.read("VkViewport", pViewports + VIEWPORT * BigInt(index));
        return { ...viewport, width: viewport.width * FACTOR, height: viewport.height * FACTOR };
      });
      next(commandBuffer, first, count, this.writeAll("VkViewport", smaller));
    },
  },
});
