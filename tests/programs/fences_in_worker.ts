/**
 * Has fences carried in a Worker, by a thread that the Worker starts: at first
 * by one for each, then by one that is kept.
 */
import { createEvent, pollDescriptor, signalEvent } from "../../ffi/file/file_descriptor.ts";
import { closeFenceWorker, fenceWorker } from "../../wsi/fence/fence_worker.ts";

const PATIENCE = 20_000;

/** Whether a fence that is signalled while this thread is blocked arrives. */
function arrives(): boolean {
  const [fd, event] = [createEvent(), createEvent()];
  fenceWorker().writeEventWhenReadable({ fds: [fd], event });
  signalEvent(fd);
  return pollDescriptor(event, PATIENCE);
}

const alone = arrives(), release = fenceWorker().keep(), kept = [arrives(), arrives(), arrives()];
release();
closeFenceWorker();
(self as unknown as { postMessage(data: boolean[]): void }).postMessage([alone, ...kept]);
