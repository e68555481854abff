import type { AdaptorDevice } from "./adaptor_device.ts";
import { made, scratch, write } from "./struct.ts";
import type { VirtualSemaphore } from "./virtual_semaphores.ts";

/** The real binary semaphore that stands for a virtual one where a driver wants such; made at the first call. A VkResult when that fails. */
export function shadowOf({ commands, handle }: AdaptorDevice, virtual: VirtualSemaphore): bigint | number {
  if (virtual.shadow !== 0n) return virtual.shadow;
  const shadow = scratch(() =>
    made((out) => commands.vkCreateSemaphore(handle, write("VkSemaphoreCreateInfo", {}), 0n, out))
  );
  if (typeof shadow !== "number") virtual.shadow = shadow;
  return shadow;
}
