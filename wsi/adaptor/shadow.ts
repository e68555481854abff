import type { DriverDevice } from "./driver_device.ts";
import { made, scratch, write } from "./struct.ts";
import type { VirtualSemaphore } from "./virtual_semaphores.ts";

/**
 * Returns the real binary semaphore that replaces a virtual semaphore for the driver, created at the first call.
 * Returns a VkResult on failure.
 */
export function shadowOf({ commands, handle }: DriverDevice, virtual: VirtualSemaphore): bigint | number {
  if (virtual.shadow !== 0n) return virtual.shadow;
  const shadow = scratch(() =>
    made((out) => commands.vkCreateSemaphore(handle, write("VkSemaphoreCreateInfo", {}), 0n, out))
  );
  if (typeof shadow !== "number") virtual.shadow = shadow;
  return shadow;
}
