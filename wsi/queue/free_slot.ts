import { STATUS, type Status } from "../status.ts";
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
