/**
 * Posts a job whose event never comes, blocks while another is done, and ends
 * without closing anything.
 */
import { createEvent, pollDescriptor, signalEvent } from "../../ffi/file/file_descriptor.ts";
import { fenceWorker } from "../../wsi/fence/fence_worker.ts";

const [never, event, fd, done] = [createEvent(), createEvent(), createEvent(), createEvent()];
fenceWorker().writeEventWhenReadable({ fds: [never], event });
fenceWorker().writeEventWhenReadable({ fds: [fd], event: done });
signalEvent(fd);
console.log(`done while blocked: ${pollDescriptor(done, 20_000)}, left: ${fenceWorker().pending >= 1}`);
