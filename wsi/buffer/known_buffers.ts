import type { GraphicBuffer } from "./graphic_buffer.ts";

/** A buffer of this process, and how many use its memory. */
interface Known {
  buffer: GraphicBuffer | undefined;
  users: number;
  readonly free: () => void;
}

const known = new Map<bigint, Known>();

/**
 * Makes the buffer with a native_handle_t known; `free` gives its memory back.
 * Returns what the buffer calls when it is closed: the memory goes with the
 * last of those who use it.
 */
export function enterBuffer(handle: bigint, free: () => void): { set(buffer: GraphicBuffer): void; leave(): void } {
  const entry: Known = { buffer: undefined, users: 1, free };
  known.set(handle, entry);
  return { set: (buffer) => entry.buffer = buffer, leave: () => leave(handle, entry) };
}

/** The buffer whose native_handle_t is at an address; `undefined` for one that is no buffer of this process, or closed. */
export function bufferOfHandle(handle: bigint): GraphicBuffer | undefined {
  return known.get(handle)?.buffer;
}

/** Keeps the memory of a buffer that is open after it is closed, too, until the result is called. A second call of it does nothing. */
export function retainMemory({ handle }: GraphicBuffer): () => void {
  const entry = known.get(handle);
  if (!entry) return () => {};
  entry.users++;
  let isHeld = true;
  return () => {
    if (isHeld) leave(handle, entry);
    isHeld = false;
  };
}

function leave(handle: bigint, entry: Known): void {
  if (--entry.users > 0) return;
  known.delete(handle);
  entry.free();
}
