import { STATUS, type Status } from "../status.ts";
import type { BufferSlot } from "./buffer_slot.ts";
import type { QueueCore } from "./queue_core.ts";

/** Who looks for a slot: whoever attaches needs no buffer in it. */
export type Seeker = "dequeue" | "attach";

/**
 * A slot for the producer, or why there is none. Both sides run on one thread,
 * so nothing is gained by sleeping: the consumer is asked to release a buffer,
 * as long as that changes something; after that nobody can, and the time is up.
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

/** AOSP says WOULD_BLOCK to those who never wait, unless the consumer has one buffer more than it may keep. */
function waitedInVain(core: QueueCore): Status {
  if (core.isAbandoned) return STATUS.NO_INIT;
  return core.isAsync && core.acquiredCount <= core.maxAcquired ? STATUS.WOULD_BLOCK : STATUS.TIMED_OUT;
}

function takeSlot(core: QueueCore, seeker: Seeker): BufferSlot | undefined {
  // After a change to fewer buffers the queue may still be longer than they allow.
  if (core.queue.length > core.bufferCount()) return undefined;
  if (core.sharedMode && core.sharedSlot >= 0) return core.slots[core.sharedSlot];
  const { freeSlots, freeBuffers } = core;
  const empty = () => seeker === "attach" || core.allowAllocation ? freeSlots.shift() : undefined;
  const index = seeker === "dequeue" ? freeBuffers.shift() ?? empty() : empty() ?? freeBuffers.shift();
  return index === undefined ? undefined : core.slots[index];
}
