import { assert, assertEquals } from "@std/assert";
import {
  closeDescriptor,
  controlDevice,
  createEvent,
  createMemoryFile,
  createPipe,
  drainEvent,
  duplicate,
  errorName,
  eventCount,
  fileSize,
  isSealedAgainstShrinking,
  lastError,
  monotonicNow,
  openFile,
  POLL,
  pollDescriptor,
  pollDescriptors,
  readFileStart,
  resizeFile,
  sealAgainstShrinking,
  signalEvent,
} from "../../../ffi/file/file_descriptor.ts";
import { openFiles } from "../../support/open_files.ts";

/** Closes file descriptors at the end of a `using` scope. */
function closing(...fds: number[]): Disposable {
  return { [Symbol.dispose]: () => fds.forEach(closeDescriptor) };
}

Deno.test("signalEvent() makes an event readable, also for duplicates, until it is drained", () => {
  const event = createEvent(), copy = duplicate(event);
  using _closing = closing(copy);
  assertEquals([pollDescriptor(event, 0), pollDescriptor(copy, 1)], [false, false]);
  signalEvent(event);
  assertEquals([pollDescriptor(event, 0), pollDescriptor(copy, -1)], [true, true]);
  closeDescriptor(event);
  assert(pollDescriptor(copy, 0));
  drainEvent(copy);
  assert(!pollDescriptor(copy, 0));
});

Deno.test("eventCount() reads what was added, and leaves it", () => {
  const event = createEvent(), pipe = createPipe()!;
  using _closing = closing(event, pipe.read, pipe.write);
  if (readFileStart("/proc/self/fdinfo/0") === "") return; // no /proc here
  signalEvent(event, 0x1234_5678_9abc_def0n);
  signalEvent(event, 1n);
  assertEquals([eventCount(event), eventCount(event)], [0x1234_5678_9abc_def1n, 0x1234_5678_9abc_def1n]);
  assertEquals([eventCount(pipe.read), pollDescriptor(event, 0)], [undefined, true]);
});

Deno.test("pollDescriptors() tells what happened to each", () => {
  const [idle, ready] = [createEvent(), createEvent()], [ended, broken] = [createPipe()!, createPipe()!];
  using _closing = closing(idle, ready, ended.read, broken.write);
  signalEvent(ready);
  closeDescriptor(ended.write);
  closeDescriptor(broken.read);
  const events = pollDescriptors([idle, ready, ended.read, broken.write, 999, -1], -1);
  assertEquals(events, [0, POLL.IN, POLL.HUP, POLL.ERR, POLL.NVAL, 0]);
  assertEquals(pollDescriptors([], 1), []);
});

Deno.test("monotonicNow() moves on, in nanoseconds", () => {
  const before = monotonicNow();
  pollDescriptors([], 20);
  const passed = monotonicNow() - before;
  assert(passed >= 19_000_000n && passed < 20_000_000_000n);
});

Deno.test("resizeFile() and fileSize() give a memory file its size", () => {
  const file = createMemoryFile("test");
  using _closing = closing(file);
  assertEquals([fileSize(file), resizeFile(file, 3n << 32n), fileSize(file)], [0n, true, 3n << 32n]);
  assertEquals([sealAgainstShrinking(file), resizeFile(file, 1n), resizeFile(file, 4n << 32n)], [true, false, true]);
  assertEquals([fileSize(-1), resizeFile(-1, 1n), sealAgainstShrinking(-1)], [-1n, false, false]);
});

Deno.test("lastError() is what the C library says", () => {
  closeDescriptor(999);
  assertEquals(resizeFile(999, 1n), false);
  assertEquals(errorName(lastError()), "EBADF (9)");
  assertEquals(errorName(12345), "errno (12345)");
});

Deno.test("controlDevice() fails for what is no such device", () => {
  const event = createEvent(), SYNC_IOC_FILE_INFO = 0xc0383e04;
  using _closing = closing(event);
  assertEquals(controlDevice(event, SYNC_IOC_FILE_INFO, 0), -1);
  assert(lastError() !== 0);
});

Deno.test("openFile() and readFileStart() are quiet about what isn't there", () => {
  const files = openFiles();
  assertEquals([openFile("/nowhere/at/all", 0), readFileStart("/nowhere/at/all")], [-1, ""]);
  assert(readFileStart(new URL(import.meta.url).pathname).startsWith("import"));
  assertEquals(openFiles(), files);
});

Deno.test("isSealedAgainstShrinking() tells whether a memory file was sealed; other files never are", () => {
  const file = createMemoryFile("test"), event = createEvent();
  using _closing = closing(file, event);
  assertEquals([isSealedAgainstShrinking(file), isSealedAgainstShrinking(event)], [false, false]);
  assert(sealAgainstShrinking(file) && !sealAgainstShrinking(event));
  assert(isSealedAgainstShrinking(file));
});
