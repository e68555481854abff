import { NativeFence } from "../../../wsi/fence/native_fence.ts";
import type { QueueInput } from "../../../wsi/queue/buffer_item.ts";
import { BufferQueue } from "../../../wsi/queue/buffer_queue.ts";
import type { ConsumerListener } from "../../../wsi/queue/listeners.ts";
import type { DequeueRequest } from "../../../wsi/queue/producer.ts";
import { got } from "../got.ts";

/** A queue of 8 by 8 pixels with both sides connected. */
export function openQueue(listener: ConsumerListener = {}): BufferQueue {
  const queue = new BufferQueue();
  queue.consumer.setDefaultBufferSize(8, 8);
  queue.consumer.connect(listener);
  got(queue.producer.connect(1));
  return queue;
}

/** Dequeues and asks for the buffer: the slot. */
export function dequeueSlot({ producer }: BufferQueue, request?: DequeueRequest): number {
  const { slot, fence } = got(producer.dequeueBuffer(request));
  fence.close();
  got(producer.requestBuffer(slot));
  return slot;
}

/** Dequeues and queues: the slot. */
export function queueFrame(queue: BufferQueue, input: Partial<QueueInput> = {}): number {
  const slot = dequeueSlot(queue);
  got(queue.producer.queueBuffer(slot, { fence: NativeFence.signaled(), ...input }));
  return slot;
}

/** A fence that is a file until somebody closes it or looks at it. */
export function openFence(): NativeFence {
  const { fence, signal } = NativeFence.create();
  signal();
  return fence;
}
