import type { GraphicBuffer } from "../../../wsi/buffer/graphic_buffer.ts";
import { NativeFence } from "../../../wsi/fence/native_fence.ts";
import type { Codec } from "./codec.ts";
import type { Reader } from "./reader.ts";
import { BadMessage } from "./wire.ts";
import type { Writer } from "./writer.ts";

/** The byte that stands for a fence or a buffer. */
const NOTHING = 0, SIGNALED = 1, DESCRIPTOR = 2;

/** A buffer by its name, or none. */
export const BUFFER: Codec<GraphicBuffer | null> = {
  least: 1,
  write(to, buffer) {
    to.u8(buffer ? 1 : NOTHING);
    if (buffer) to.names!.write(to, buffer);
  },
  read: (from) => from.u8() === NOTHING ? null : from.names!.read(from),
};

/** A fence that the receiver gets another of: the sender keeps its own, and closes it if that is the rule. */
export const FENCE: Codec<NativeFence> = {
  least: 1,
  write(to, fence) {
    const fd = to.relay.descriptorOf(fence);
    to.u8(fd < 0 ? SIGNALED : DESCRIPTOR);
    if (fd >= 0) to.fd(fd);
  },
  read(from) {
    const kind = from.u8();
    if (kind === SIGNALED) return NativeFence.signaled();
    if (kind !== DESCRIPTOR) throw new BadMessage(`${kind} is no kind of fence`);
    return from.fence();
  },
};

/** A fence that a command is given. */
interface GivenFence extends Codec<NativeFence | null> {
  /** Whether the composer owns the fence after success; otherwise the caller keeps it always. */
  readonly isTaken: boolean;
}

function given(isTaken: boolean): GivenFence {
  return {
    least: 1,
    isTaken,
    write(to: Writer, fence: NativeFence | null) {
      if (fence) FENCE.write(to, fence);
      else to.u8(NOTHING);
    },
    read(from: Reader) {
      const kind = from.u8();
      if (kind === NOTHING || kind === SIGNALED) return null;
      if (kind !== DESCRIPTOR) throw new BadMessage(`${kind} is no kind of fence`);
      return from.fence();
    },
  };
}

/** A fence that the composer closes, unless it refuses the command. */
export const TAKEN_FENCE: GivenFence = given(true);

/** A fence that the composer copies. */
export const LENT_FENCE: GivenFence = given(false);
