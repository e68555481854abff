import type { BufferRequest } from "../buffer/check_request.ts";
import { allocateBuffer } from "../buffer/gralloc.ts";
import type { GraphicBuffer } from "../buffer/graphic_buffer.ts";
import { USAGE } from "../buffer/usage.ts";
import { STATUS, type Status } from "../android_values.ts";
import type { BufferSlot } from "./buffer_slot.ts";
import type { QueueCore } from "./queue_core.ts";

/** The purpose of a slot: a slot for attaching needs no buffer in it. */
export type Seeker = "dequeue" | "attach";

/**
 * Finds a slot for the producer. Both sides run on one thread, so the producer cannot sleep until a slot is free:
 * instead the consumer is asked to release buffers until that has no effect. Returns a status if no slot is free by
 * then.
 */
export function findFreeSlot(core: QueueCore, seeker: Seeker): BufferSlot | Status {
  for (;;) {
    if (core.isAbandoned) return STATUS.NO_INIT;
    if (seeker === "dequeue" && core.hasQueued && core.dequeuedCount >= core.maxDequeued) {
      return STATUS.INVALID_OPERATION;
    }
    const found = takeSlot(core, seeker);
    if (found) return found;
    if (core.consumer?.onProducerWaits?.() !== true) return waitedInVain(core);
  }
}

/** AOSP returns WOULD_BLOCK to a producer that never waits, unless the consumer has one buffer more than its limit. */
function waitedInVain(core: QueueCore): Status {
  if (core.isAbandoned) return STATUS.NO_INIT;
  return core.isAsync && core.acquiredCount <= core.maxAcquired ? STATUS.WOULD_BLOCK : STATUS.TIMED_OUT;
}

function takeSlot(core: QueueCore, seeker: Seeker): BufferSlot | undefined {
  // After a change to fewer buffers the queue may still be longer than the new number.
  if (core.queue.length > core.bufferCount()) return undefined;
  if (core.sharedMode && core.sharedSlot >= 0) return core.slots[core.sharedSlot];
  const { freeSlots, freeBuffers } = core;
  const empty = () => seeker === "attach" || core.allowAllocation ? freeSlots.shift() : undefined;
  const index = seeker === "dequeue" ? freeBuffers.shift() ?? empty() : empty() ?? freeBuffers.shift();
  return index === undefined ? undefined : core.slots[index];
}

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
