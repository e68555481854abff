import type { BufferRequest, GraphicBuffer } from "../buffer/graphic_buffer.ts";
import { allocateBuffer } from "../buffer/gralloc.ts";
import { USAGE } from "../buffer/usage.ts";
import { STATUS, type Status } from "../status.ts";

const generations = new WeakMap<GraphicBuffer, number>();

/** The generation number with which a buffer was allocated; 0 for a buffer that no queue allocated. */
export function generationOf(buffer: GraphicBuffer): number {
  return generations.get(buffer) ?? 0;
}

/**
 * Allocates a buffer for a queue of a generation. Returns NO_MEMORY, or BAD_VALUE for a request that gralloc cannot
 * meet.
 */
export function tryAllocate(
  request: BufferRequest,
  generation: number,
  log?: (message: string) => void,
): GraphicBuffer | Status {
  try {
    const buffer = allocateBuffer(request);
    generations.set(buffer, generation);
    return buffer;
  } catch (error) {
    log?.(`Cannot allocate a buffer for the window: ${error instanceof Error ? error.message : error}`);
    return isShortage(error) ? STATUS.NO_MEMORY : STATUS.BAD_VALUE;
  }
}

/** Whether an error of any floor means that the machine has too little memory or too few file descriptors. */
function isShortage(error: unknown): boolean {
  const { code } = Object(error) as { code?: unknown };
  return code === "out-of-memory" || code === "out-of-descriptors";
}

/** Whether a buffer does not meet a request: its size, format or layout differs, or it lacks usage bits. */
export function needsReallocation(buffer: GraphicBuffer, { width, height, format, usage }: BufferRequest): boolean {
  if (buffer.width !== width || buffer.height !== height || buffer.format !== format || buffer.layers !== 1) {
    return true;
  }
  const exact = USAGE.LAYOUT_RULE_MASK | USAGE.VENDOR_MASK | USAGE.PROTECTED; // bits that must be equal: more of them do not mean more abilities
  return (buffer.usage & usage) !== usage || (buffer.usage & exact) !== (usage & exact);
}
