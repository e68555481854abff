import { assert, assertEquals } from "@std/assert";
import { createSocketPair, DescriptorStream } from "../../../ffi/file/unix_socket.ts";
import { closeDescriptor, createEvent, eventCount, signalEvent } from "../../../ffi/file/file_descriptor.ts";
import { leavesNothing } from "../../wsi/leaves_nothing.ts";

/** Both ends of a connection. */
function streams(): [DescriptorStream, DescriptorStream] {
  const [one, other] = createSocketPair()!;
  return [new DescriptorStream(one), new DescriptorStream(other)];
}

Deno.test("DescriptorStream carries bytes, and file descriptors with them", () =>
  leavesNothing(() => {
    const [near, far] = streams(), event = createEvent();
    assertEquals(far.receive(), { bytes: new Uint8Array(0), fds: [], isAll: true });
    assertEquals(near.send(new Uint8Array([1, 2, 3]), [event, event]), { bytes: 3, fds: 2 });
    assert(far.wait("receive", 1000));
    const { bytes, fds } = far.receive()!;
    assertEquals([[...bytes], fds.length], [[1, 2, 3], 2]);
    signalEvent(event, 77n);
    assertEquals(fds.map(eventCount), [77n, 77n]);
    [event, ...fds].forEach(closeDescriptor);
    near.close();
    near.close();
    assertEquals([far.receive(), far.send(new Uint8Array(1), [])], [undefined, undefined], "the other side is gone");
    far.close();
  }));

Deno.test("DescriptorStream sends more file descriptors than a message takes with several", () =>
  leavesNothing(() => {
    const [near, far] = streams(), event = createEvent(), wanted = Array.from({ length: 600 }, () => event);
    let bytes = new Uint8Array([1, 2, 3, 4]), left = wanted;
    const found: number[] = [], text: number[] = [];
    while (bytes.length > 0) {
      const sent = near.send(bytes, left)!;
      bytes = bytes.slice(sent.bytes);
      left = left.slice(sent.fds);
      const received = far.receive()!;
      text.push(...received.bytes);
      found.push(...received.fds);
    }
    assertEquals([text, found.length, left.length], [[1, 2, 3, 4], 600, 0]);
    found.forEach(closeDescriptor);
    closeDescriptor(event);
    near.close();
    far.close();
  }));

Deno.test("DescriptorStream does not wait when there is no room, and says when there is", () =>
  leavesNothing(() => {
    const [near, far] = streams(), bytes = new Uint8Array(60_000);
    let sent = 0, received = 0;
    for (let step = near.send(bytes, [])!; step.bytes > 0; step = near.send(bytes, [])!) sent += step.bytes;
    assertEquals([sent > 60_000, near.wait("send", 0)], [true, false]);
    while (received < sent) received += far.receive()!.bytes.length;
    assertEquals([received, near.wait("send", 0), far.wait("receive", 0)], [sent, true, false]);
    near.close();
    far.close();
  }));
