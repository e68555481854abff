import { NativeFence } from "../../../wsi/fence/native_fence.ts";

/** Opens for good what fences that come as file descriptors are asked with. */
export function warmFences(): void {
  const { fence, signal } = NativeFence.create();
  using copy = NativeFence.adopt(fence.dup().take());
  copy.wait(1);
  signal();
  copy.wait(1);
  fence.close();
}
