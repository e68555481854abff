import { closeDescriptor, createEvent, pollDescriptor, signalEvent } from "../../../ffi/file/file_descriptor.ts";
import { fenceWorker } from "../../../wsi/fence/fence_worker.ts";

/** Keeps the fence worker's thread running, so that its own file descriptors neither come nor go while others are counted. */
export function steadyWorker(): Disposable {
  const [never, now, done] = [createEvent(), createEvent(), createEvent()];
  const job = fenceWorker().writeEventWhenReadable({ fds: [never], event: never });
  signalEvent(now);
  fenceWorker().writeEventWhenReadable({ fds: [now], event: done });
  pollDescriptor(done, 10_000);
  return {
    [Symbol.dispose]() {
      job.cancel();
      for (const fd of [never, now, done]) closeDescriptor(fd);
    },
  };
}
