import type { FrameRequest } from "../contract/frame_consumer.ts";
import { STATUS, type Status } from "../android_values.ts";
import { NativeFence } from "../fence/native_fence.ts";
import { holdBuffer } from "./buffer_hold.ts";
import { isOver } from "../fence/careful_fence.ts";
import type { BufferItem } from "./buffer_item.ts";
import type { QueueCore } from "./queue_core.ts";

/** `BufferQueue::NO_BUFFER_AVAILABLE`: no frame is queued. */
export const NO_BUFFER_AVAILABLE = 3;
/** `BufferQueue::PRESENT_LATER`: the queued frame is for a later time. */
export const PRESENT_LATER = 4;
/** `IGraphicBufferConsumer::STALE_BUFFER_SLOT`: the slot now holds another buffer. */
export const STALE_BUFFER_SLOT = 1;

/**
 * The largest difference between a timestamp and the expected time at which the timestamp is believed, in nanoseconds.
 */
const REASONABLE = 1_000_000_000n;

/** A consumer's request for a frame, with the time at which the frame is to be shown. */
export interface AcquireRequest extends FrameRequest {
  /** The newest frame to acquire. */
  readonly maxFrameNumber?: bigint;
}

/** Takes the oldest frame, which the caller then owns. Returns a status if no frame can be taken. */
export function acquire(core: QueueCore, request: AcquireRequest): BufferItem | Status {
  if (core.isAbandoned) return STATUS.NO_INIT;
  // A consumer may take one frame more than its limit, so that it can take the new frame before it releases the old
  // one.
  if (core.acquiredCount >= core.maxAcquired + 1) return STATUS.INVALID_OPERATION;
  if (core.queue.length === 0) return again(core);
  const { expectedPresent, maxFrameNumber } = request;
  if (expectedPresent !== undefined) {
    dropLate(core, expectedPresent, maxFrameNumber);
    const front = core.queue[0];
    if (!isDue(front, expectedPresent, request.autoIsDue) || isNewer(front, maxFrameNumber)) return PRESENT_LATER;
  }
  if (request.onlyDrawn && !isOver(core.queue[0].fence)) return PRESENT_LATER;
  const item = core.queue.shift()!;
  core.history.latched(item.frameNumber);
  if (!item.isStale) {
    const slot = core.slots[item.slot];
    slot.queued--;
    slot.acquired++;
    core.tell("acquired", slot, item.frameNumber);
  }
  return item;
}

/** Takes the shared buffer again, if the buffer refreshes itself. */
function again(core: QueueCore): BufferItem | number {
  const { sharedMode, autoRefresh, sharedItem } = core;
  if (!sharedMode || !autoRefresh || !sharedItem) return NO_BUFFER_AVAILABLE;
  core.slots[core.sharedSlot].acquired++;
  core.history.refreshed(sharedItem.frameNumber);
  return { ...sharedItem, buffer: holdBuffer(sharedItem.buffer), fence: NativeFence.signaled(), damage: [] };
}

/** Drops the oldest frames while the next frame is due, too. */
function dropLate(core: QueueCore, expectedPresent: bigint, maxFrameNumber: bigint | undefined): void {
  const { queue } = core;
  while (queue.length > 1 && !queue[0].isAutoTimestamp) {
    const next = queue[1], { timestamp } = next;
    if (isNewer(next, maxFrameNumber)) return;
    if (timestamp < expectedPresent - REASONABLE || timestamp > expectedPresent) return;
    core.dropItem(queue.shift()!);
    core.consumer?.onFrameDropped?.();
  }
}

function isDue({ timestamp, isAutoTimestamp }: BufferItem, expectedPresent: bigint, autoIsDue = false): boolean {
  if (autoIsDue && isAutoTimestamp) return true;
  return timestamp <= expectedPresent || timestamp > expectedPresent + REASONABLE;
}

function isNewer(item: BufferItem, maxFrameNumber: bigint | undefined): boolean {
  return maxFrameNumber !== undefined && item.frameNumber > maxFrameNumber;
}
