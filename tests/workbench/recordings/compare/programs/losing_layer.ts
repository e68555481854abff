/**
 * A layer whose device is lost when work that it was given is waited for.
 *
 * @module
 */
import { defineLayer } from "../../../../../loader/mod.ts";
import { VK_ERROR_DEVICE_LOST } from "../../../../../loader/vk.ts";

let submissions = 0;

export default defineLayer({
  name: "VK_LAYER_TEST_losing",
  commands: {
    vkQueueSubmit(next, queue, count, ...rest) {
      if (count > 0) submissions++;
      return next(queue, count, ...rest);
    },
    vkWaitForFences(next, ...args) {
      const result = next(...args);
      return submissions > 0 ? VK_ERROR_DEVICE_LOST : result;
    },
  },
});
