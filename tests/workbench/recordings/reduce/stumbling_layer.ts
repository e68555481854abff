/**
 * A layer as a broken driver: among many commands it stumbles over one, a fill with {@linkcode WORD}. The variable
 * `STUMBLES` says where, "records", "submits" or "waits", and how: "lost" loses the device, and the name of a signal
 * ends or stops the process.
 *
 * @module
 */
import { structsAt } from "../../../../loader/codec/codec.ts";
import { VK_ERROR_DEVICE_LOST } from "../../../../loader/gen/enums_core_gen.js";
import { defineLayer } from "../../../../loader/mod.ts";
import { peek64 } from "../../../../ffi/machine.ts";

/** The number that no other fill has. */
export const WORD = 0xdeadbeef;

const [where, how] = (Deno.env.get("STUMBLES") ?? "").split(" "), marked = new Set<bigint>();
let isLost = false;

/** Returns whether the device is lost, if the process goes on at all. */
function stumble(): boolean {
  if (how === "lost") isLost = true;
  else Deno.kill(Deno.pid, how as Deno.Signal);
  return isLost;
}

const wait = (next: () => number) => isLost && where === "waits" ? VK_ERROR_DEVICE_LOST : next();

export default defineLayer({
  name: "VK_LAYER_TEST_stumbling",
  commands: {
    vkCreateDevice(next, ...args) {
      isLost = false; // a process replays many recordings
      marked.clear();
      return next(...args);
    },
    vkBeginCommandBuffer(next, commands, info) {
      marked.delete(commands);
      return next(commands, info);
    },
    vkCmdFillBuffer(next, commands, buffer, offset, size, word) {
      if (word === WORD) marked.add(commands);
      if (word === WORD && where === "records") stumble();
      next(commands, buffer, offset, size, word);
    },
    vkCmdExecuteCommands(next, commands, count, pCommandBuffers) {
      for (let at = 0; at < count; at++) {
        if (marked.has(peek64(pCommandBuffers + BigInt(8 * at)))) marked.add(commands);
      }
      next(commands, count, pCommandBuffers);
    },
    vkQueueSubmit(next, queue, count, pSubmits, fence) {
      const all = count === 0 ? [] : structsAt("VkSubmitInfo", pSubmits, count);
      const isMarked = all.some(({ pCommandBuffers }) =>
        (pCommandBuffers as bigint[] | null)?.some((each) => marked.has(each))
      );
      if (isMarked && where !== "records" && stumble() && where === "submits") return VK_ERROR_DEVICE_LOST;
      return next(queue, count, pSubmits, fence);
    },
    vkWaitForFences: (next, ...args) => wait(() => next(...args)),
    vkQueueWaitIdle: (next, ...args) => wait(() => next(...args)),
    vkDeviceWaitIdle: (next, ...args) => wait(() => next(...args)),
  },
});
