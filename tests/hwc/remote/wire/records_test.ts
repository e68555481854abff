import { assertEquals, assertThrows } from "@std/assert";
import { closeDescriptor, createPipe, duplicate } from "../../../../ffi/file/file_descriptor.ts";
import { FENCE, RELEASES } from "../../../../hwc/remote/wire/records.ts";
import { Reader } from "../../../../hwc/remote/wire/reader.ts";
import { BadMessage } from "../../../../hwc/remote/wire/wire.ts";
import { Writer } from "../../../../hwc/remote/wire/writer.ts";
import { NativeFence } from "../../../../wsi/fence/native_fence.ts";
import { closeFenceWorker } from "../../../../wsi/fence/fence_worker.ts";
import { leavesNothing } from "../../../wsi/leaves_nothing.ts";

const LONG = 20_000;

Deno.test("duplicates of a fence go over as one file descriptor, and are signalled together", () => {
  const { fence, signal } = NativeFence.create(), other = NativeFence.create(), writer = new Writer();
  const releases = [fence, fence.dup(), other.fence, fence.dup()].map((each, layer) => ({
    layer: BigInt(layer),
    fence: each,
  }));
  RELEASES.write(writer, releases);
  FENCE.write(writer, fence);
  assertEquals(writer.fds.length, 3, "the fence, the other fence, and the fence again behind it");
  const reader = new Reader(writer.bytes, writer.fds.splice(0)),
    far = RELEASES.read(reader),
    last = FENCE.read(reader);
  reader.takeFences();
  signal();
  const [one, two, not, three] = far.map((release) => release.fence);
  assertEquals([one, two, three, last].map((each) => each.wait(LONG)), [true, true, true, true]);
  assertEquals(not.poll(), false);
  other.signal();
  assertEquals(not.wait(LONG), true);
  for (const { fence: each } of [...releases, ...far]) each.close();
  last.close();
  writer.relay.close();
  closeFenceWorker();
});

Deno.test("a file descriptor that is named twice is two fences, and never a buffer's as well", () =>
  leavesNothing(() => {
    const pipe = createPipe()!, bytes = new Uint8Array(new Uint32Array([0, 0, 0]).buffer);
    const reader = new Reader(bytes, [duplicate(pipe.read)]);
    const [one, two] = [reader.fence(), reader.fence()];
    assertThrows(() => reader.fd(), BadMessage, "named twice");
    one.close();
    assertEquals(two.poll(), false, "closing one leaves the other");
    closeDescriptor(pipe.write);
    assertEquals(two.poll(), true);
    reader.close();
    closeDescriptor(pipe.read);
  }));
