/**
 * A layer that stands for a broken driver: it looks for one command among many by a number that only that command has,
 * and fails as the variable `PLANTED` says: "draw lost" and "update lost" lose the device at the submission and at the
 * wait behind it, "copy crashes" and "fill crashes" end the process when the command is recorded and when it is submitted.
 *
 * @module
 */
import { structsAt } from "../../../../../loader/codec/codec.ts";
import { VK_ERROR_DEVICE_LOST } from "../../../../../loader/gen/enums_core_gen.js";
import { defineLayer } from "../../../../../loader/mod.ts";
import { PLANTED } from "./planted_numbers.ts";

const fault = Deno.env.get("PLANTED"), marked = new Set<bigint>();
let isLost = false;

function crash(): void {
  Deno.kill(Deno.pid, "SIGKILL");
}

export default defineLayer({
  name: "VK_LAYER_TEST_planted",
  commands: {
    vkBeginCommandBuffer(next, commands, info) {
      marked.delete(commands);
      return next(commands, info);
    },
    vkCmdDraw(next, commands, vertexCount, ...rest) {
      if (fault === "draw lost" && vertexCount === PLANTED.vertices) marked.add(commands);
      next(commands, vertexCount, ...rest);
    },
    vkCmdUpdateBuffer(next, commands, buffer, offset, size, data) {
      if (fault === "update lost" && offset === BigInt(PLANTED.offset)) marked.add(commands);
      next(commands, buffer, offset, size, data);
    },
    vkCmdCopyBuffer(next, commands, source, target, count, regions) {
      if (fault === "copy crashes" && count === PLANTED.regions) crash();
      next(commands, source, target, count, regions);
    },
    vkCmdFillBuffer(next, commands, buffer, offset, size, word) {
      if (fault === "fill crashes" && word === PLANTED.word) marked.add(commands);
      next(commands, buffer, offset, size, word);
    },
    vkQueueSubmit(next, queue, count, pSubmits, fence) {
      const all = count === 0 ? [] : structsAt("VkSubmitInfo", pSubmits, count);
      if (all.some(({ pCommandBuffers }) => (pCommandBuffers as bigint[] | null)?.some((each) => marked.has(each)))) {
        if (fault === "fill crashes") crash();
        if (fault === "draw lost") return VK_ERROR_DEVICE_LOST;
        isLost = true;
      }
      return next(queue, count, pSubmits, fence);
    },
    vkWaitForFences: (next, ...args) => isLost ? VK_ERROR_DEVICE_LOST : next(...args),
    vkQueueWaitIdle: (next, ...args) => isLost ? VK_ERROR_DEVICE_LOST : next(...args),
    vkDeviceWaitIdle: (next, ...args) => isLost ? VK_ERROR_DEVICE_LOST : next(...args),
  },
});
