import type { BufferRequest } from "../../../wsi/buffer/check_request.ts";
import { allocateBuffer } from "../../../wsi/buffer/gralloc.ts";
import type { GraphicBuffer } from "../../../wsi/buffer/graphic_buffer.ts";
import { halFormatOf } from "../../../wsi/buffer/hal_format.ts";
import { align, registerLayout } from "../../../wsi/buffer/layout.ts";
import { tilingOf } from "../../../wsi/buffer/tiling.ts";

/** A layout of NVIDIA's, which the processor does not know. */
export const NVIDIA_LAYOUT = 0x0300_0000_0060_6010n;

/** A buffer whose pixels lie as a modifier says. */
export function allocateTiled(request: BufferRequest, modifier: bigint): GraphicBuffer {
  const rowBytes = request.width * halFormatOf(request.format)!.bytesPerPixel;
  const rowPitch = align(rowBytes, tilingOf(modifier)?.width ?? 64);
  const rule = registerLayout(() => ({ rowPitch, size: 0, modifier }));
  try {
    return allocateBuffer({ ...request, usage: request.usage | rule.usage });
  } finally {
    rule.forget();
  }
}
