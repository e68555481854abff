import type { GraphicBuffer } from "../buffer/graphic_buffer.ts";
import type { NativeFence } from "../fence/native_fence.ts";
import { STATUS, type Status } from "../android_values.ts";
import { findFreeSlot, generationOf } from "./free_slot.ts";
import { forgetBuffer } from "./buffer_hold.ts";
import type { QueueCore } from "./queue_core.ts";

/** The side that has the buffer. */
type Side = "producer" | "consumer";

/** Removes a buffer that a side has from the queue. From now on only that side closes the buffer. */
export function detachBuffer(core: QueueCore, index: number, side: Side): Status {
  const slot = core.slotAt(index);
  if (core.sharedMode || !slot || slot.shared) return STATUS.BAD_VALUE;
  const has = side === "producer" ? slot.dequeued > 0 && slot.requested : slot.acquired > 0;
  if (!has) return STATUS.BAD_VALUE;
  core.vacate(slot, forgetBuffer);
  return STATUS.OK;
}

/** Removes the buffer that has been free the longest from the queue. */
export function detachNextBuffer(core: QueueCore): { buffer: GraphicBuffer; fence: NativeFence } | Status {
  if (core.sharedMode) return STATUS.BAD_VALUE;
  const index = core.freeBuffers.shift();
  if (index === undefined) return STATUS.NO_MEMORY;
  const slot = core.slots[index], buffer = slot.buffer!, fence = slot.takeFence();
  core.vacate(slot, forgetBuffer);
  return { buffer, fence };
}

/** Puts a producer's own buffer into the queue, as if the buffer had been dequeued. Returns its slot. */
export function attachBuffer(core: QueueCore, buffer: GraphicBuffer): number | Status {
  if (core.sharedMode || generationOf(buffer) !== core.generation) return STATUS.BAD_VALUE;
  if (core.slots.some((slot) => slot.buffer === buffer)) return STATUS.BAD_VALUE;
  const slot = findFreeSlot(core, "attach");
  if (typeof slot === "number") return slot;
  slot.clear();
  slot.put(buffer);
  slot.changed = false;
  slot.requested = true;
  slot.dequeued = 1;
  core.active.add(slot.index);
  return slot.index;
}
