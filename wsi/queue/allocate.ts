import type { BufferRequest, GraphicBuffer } from "../buffer/graphic_buffer.ts";
import { allocateBuffer } from "../buffer/gralloc.ts";
import { USAGE } from "../buffer/usage.ts";
import { STATUS, type Status } from "../status.ts";

const generations = new WeakMap<GraphicBuffer, number>();

/** The generation number a buffer was allocated with; 0 for one that no queue allocated. */
export function generationOf(buffer: GraphicBuffer): number {
  return generations.get(buffer) ?? 0;
}

/** Allocates a buffer for a queue of a generation, or says why not: NO_MEMORY, or BAD_VALUE for what gralloc cannot make. */
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

/** Whether the machine has too little of something, whichever floor says so. */
function isShortage(error: unknown): boolean {
  const { code } = Object(error) as { code?: unknown };
  return code === "out-of-memory" || code === "out-of-descriptors";
}

/** Whether a buffer will not do for a request: another size, format or layout, or usage bits it lacks. */
export function needsReallocation(buffer: GraphicBuffer, { width, height, format, usage }: BufferRequest): boolean {
  if (buffer.width !== width || buffer.height !== height || buffer.format !== format || buffer.layers !== 1) {
    return true;
  }
  const exact = USAGE.LAYOUT_RULE_MASK | USAGE.VENDOR_MASK | USAGE.PROTECTED; // which must be the same, for more is not better
  return (buffer.usage & usage) !== usage || (buffer.usage & exact) !== (usage & exact);
}
