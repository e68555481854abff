import { VulkanError } from "../../loader/mod.ts";

/** Returns the result of a command, or the VkResult of the `VulkanError` that it throws. */
export function resultOf(call: () => unknown): unknown {
  try {
    return call();
  } catch (error) {
    if (error instanceof VulkanError) return error.code;
    throw error;
  }
}
