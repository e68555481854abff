/**
 * A layer in which a submission with a dispatch ends as the variable `FATE` says: "lost", the device is lost; "crashes",
 * the process is killed; "hangs", the process stops.
 *
 * @module
 */
import { structsAt } from "../../../../../loader/codec/codec.ts";
import { VK_ERROR_DEVICE_LOST } from "../../../../../loader/gen/enums_core_gen.js";
import { defineLayer } from "../../../../../loader/mod.ts";

const fated = new Set<bigint>(), fate = Deno.env.get("FATE");

export default defineLayer({
  name: "VK_LAYER_TEST_fated",
  commands: {
    vkBeginCommandBuffer(next, commands, info) {
      fated.delete(commands);
      return next(commands, info);
    },
    vkCmdDispatch(next, commands, ...groups) {
      fated.add(commands);
      next(commands, ...groups);
    },
    vkQueueSubmit(next, queue, count, pSubmits, fence) {
      const all = count === 0 ? [] : structsAt("VkSubmitInfo", pSubmits, count);
      if (!all.some(({ pCommandBuffers }) => (pCommandBuffers as bigint[] | null)?.some((each) => fated.has(each)))) {
        return next(queue, count, pSubmits, fence);
      }
      if (fate === "lost") return VK_ERROR_DEVICE_LOST;
      Deno.kill(Deno.pid, fate === "hangs" ? "SIGSTOP" : "SIGKILL");
      return next(queue, count, pSubmits, fence);
    },
  },
});
