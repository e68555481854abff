import { INVERSE_DISPLAY, SCALING_MODE, STATUS, type Status, TRANSFORM } from "../android_values.ts";
import { holdBuffer } from "./buffer_hold.ts";
import { type BufferItem, NO_RECT, type QueueInput } from "./buffer_item.ts";
import type { BufferSlot } from "./buffer_slot.ts";
import { monotonicNow } from "../../ffi/file/file_descriptor.ts";
import type { QueueCore } from "./queue_core.ts";

/**
 * Puts a dequeued buffer at the end of the queue, or in the place of a frame that may be dropped. After an error the
 * caller still owns the fence.
 */
export function queueBuffer(core: QueueCore, index: number, input: QueueInput): { replaced: boolean } | Status {
  const slot = core.slotAt(index), { scalingMode = SCALING_MODE.FREEZE } = input;
  if (scalingMode < SCALING_MODE.FREEZE || scalingMode > SCALING_MODE.NO_SCALE_CROP) return STATUS.BAD_VALUE;
  if (!slot?.buffer || slot.dequeued === 0 || !slot.requested) return STATUS.BAD_VALUE;
  if (!contains(slot.buffer, input.crop ?? NO_RECT)) return STATUS.BAD_VALUE;
  if (core.sharedMode && core.sharedSlot < 0) {
    core.sharedSlot = index;
    slot.shared = true;
  }
  slot.dequeued--;
  slot.queued++;
  slot.frameNumber = ++core.frameCounter;
  core.hasQueued = true;
  const item = makeItem(core, slot, input);
  core.history.queued(item.frameNumber, item.timestamp, item.fence);
  core.tell("queued", slot, item.frameNumber);
  if (index === core.sharedSlot) core.sharedItem = item;
  return { replaced: enqueue(core, item) };
}

function contains({ width, height }: { width: number; height: number }, { left, top, right, bottom }: typeof NO_RECT) {
  if (left >= right || top >= bottom) return true; // an empty rectangle gives no information
  return left >= 0 && top >= 0 && right <= width && bottom <= height;
}

function makeItem(core: QueueCore, slot: BufferSlot, input: QueueInput): BufferItem {
  const { fence, timestamp, transform = TRANSFORM.NONE, smpte2086, cta8613 } = input,
    isShared = slot.index === core.sharedSlot;
  return {
    slot: slot.index,
    buffer: holdBuffer(slot.buffer!),
    fence,
    frameNumber: slot.frameNumber,
    timestamp: timestamp ?? monotonicNow(),
    isAutoTimestamp: timestamp === undefined,
    dataspace: input.dataspace || core.defaultDataspace,
    crop: input.crop ?? NO_RECT,
    scalingMode: input.scalingMode ?? SCALING_MODE.FREEZE,
    transform: transform & ~INVERSE_DISPLAY,
    transformToDisplayInverse: (transform & INVERSE_DISPLAY) !== 0,
    damage: input.damage ?? [],
    smpte2086,
    cta8613,
    isDroppable: core.asyncMode || (core.legacyBufferDrop && core.queueCanDrop) || isShared,
    autoRefresh: isShared && core.autoRefresh,
    isStale: false,
  };
}

/** Adds a frame to the queue and tells the consumer. Returns whether the frame replaced another frame. */
function enqueue(core: QueueCore, item: BufferItem): boolean {
  const { queue, consumer } = core, last = queue.at(-1);
  if (!last?.isDroppable) {
    queue.push(item);
    consumer?.onFrameAvailable?.(item.frameNumber);
    return false;
  }
  queue[queue.length - 1] = item;
  core.dropItem(last);
  consumer?.onFrameReplaced?.(item.frameNumber, last.frameNumber);
  return true;
}
