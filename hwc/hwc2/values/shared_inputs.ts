import { closeDescriptor, duplicate } from "../../../ffi/file/file_descriptor.ts";
import { WsiError } from "../../../wsi/error.ts";
import { importHandle } from "../../../wsi/buffer/gralloc.ts";
import type { GraphicBuffer } from "../../../wsi/buffer/graphic_buffer.ts";
import { bufferOfHandle } from "../../../wsi/buffer/known_buffers.ts";
import { NativeFence } from "../../../wsi/fence/native_fence.ts";
import { refuse } from "../../core/refusal.ts";
import { ERROR } from "../../types.ts";
import type { Call } from "../call/call.ts";
import type { Input } from "./inputs.ts";

/** buffer_handle_t: NULL for no buffer. */
export const BUFFER: Input<GraphicBuffer | null> = {
  letters: "q",
  read: ([handle], call) => handle === 0n ? null : bufferOfHandle(handle as bigint) ?? imported(handle as bigint, call),
  write: (buffer, call) => {
    if (!buffer) return [0n];
    if (buffer.isClosed) refuse(ERROR.BAD_PARAMETER, "the buffer is closed; give an open one");
    const owner = buffer.retain();
    call.afterwards(() => owner.close());
    return [buffer.handle];
  },
};

/** The buffer of a handle that somebody cloned. */
function imported(handle: bigint, call: Call): GraphicBuffer {
  try {
    const buffer = importHandle(handle);
    call.afterwards(() => buffer.close());
    return buffer;
  } catch (error) {
    if (!(error instanceof WsiError)) throw error;
    refuse(ERROR.BAD_PARAMETER, error.message);
  }
}

/** Another file descriptor for one of the caller's. */
function copied(fd: number): number {
  const copy = duplicate(fd);
  if (copy < 0) refuse(ERROR.NO_RESOURCES, `fence ${fd} cannot be duplicated; is it open?`);
  return copy;
}

/** A fence as the file descriptor of a copy, which somebody must close; -1 for one that the device could not import. */
function descriptorOf(fence: NativeFence | null, call: Call): number {
  if (!fence) return -1;
  const copy = fence.dup();
  if (!call.takesAnyFence && copy.kind !== "sync_file") {
    call.withheld.push(copy);
    return -1;
  }
  try {
    return copy.take();
  } catch (error) {
    copy.close();
    throw error;
  }
}

/** A fence's file descriptor, the device's when the call succeeds; one that fails leaves it the caller's. */
export const TAKEN_FENCE: Input<NativeFence | null> = {
  letters: "s",
  read: ([native], call) => {
    const fd = native as number;
    if (fd < 0) return null;
    const fence = NativeFence.adopt(copied(fd));
    call.afterwards((succeeded) => succeeded ? closeDescriptor(fd) : fence.close());
    return fence;
  },
  write: (fence, call) => {
    const fd = descriptorOf(fence, call);
    call.afterwards((succeeded) => succeeded ? fence?.close() : closeDescriptor(fd));
    return [fd];
  },
};

/** A fence's file descriptor that stays the caller's. */
export const LENT_FENCE: Input<NativeFence | null> = {
  letters: "s",
  read: ([native], call) => {
    if (native as number < 0) return null;
    const fence = NativeFence.adopt(copied(native as number));
    call.afterwards(() => fence.close());
    return fence;
  },
  write: (fence, call) => {
    const fd = descriptorOf(fence, call);
    call.afterwards(() => closeDescriptor(fd));
    return [fd];
  },
};
