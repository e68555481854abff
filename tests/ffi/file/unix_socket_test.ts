import { assert, assertEquals } from "@std/assert";
import { closeDescriptor, createEvent, pollDescriptor, signalEvent } from "../../../ffi/file/file_descriptor.ts";
import {
  acceptFrom,
  bindSocket,
  connectSocket,
  createSocket,
  createSocketPair,
  fileIdentity,
  isSocket,
  listenOn,
  MOST_PATH_BYTES,
  peekSocket,
  shutDown,
  unlinkFile,
} from "../../../ffi/file/unix_socket.ts";
import { withFolder } from "../../support/temporary.ts";

Deno.test("connectSocket() reaches who listens at a path, whose socket is its owner's alone", () =>
  withFolder((folder) => {
    const path = `${folder}/socket`, server = createSocket(), client = createSocket();
    assertEquals(connectSocket(client, path), false);
    assert(bindSocket(server, path) && listenOn(server));
    assertEquals(Deno.statSync(path).mode! & 0o777, 0o600);
    assertEquals(bindSocket(createAndClose(), path), false);
    assertEquals(acceptFrom(server), -1);
    assert(connectSocket(client, path));
    const accepted = acceptFrom(server);
    assertEquals([isSocket(accepted), isSocket(server), pollDescriptor(accepted, 0)], [true, true, false]);
    shutDown(client);
    assert(pollDescriptor(accepted, -1), "the other end hears of it");
    [server, client, accepted].forEach(closeDescriptor);
    assertEquals([unlinkFile(path), unlinkFile(path)], [true, false]);
  }));

function createAndClose(): number {
  const fd = createSocket();
  closeDescriptor(fd);
  return fd;
}

Deno.test("a path as long as can be is a socket's", () =>
  withFolder((folder) => {
    const path = `${folder}/`.padEnd(MOST_PATH_BYTES, "x"), server = createSocket();
    assert(bindSocket(server, path));
    assertEquals(fileIdentity(path)?.isSocket, true);
    closeDescriptor(server);
  }));

Deno.test("fileIdentity() tells files apart, and follows no link", () =>
  withFolder((folder) => {
    const [one, other, link] = ["one", "other", "link"].map((name) => `${folder}/${name}`);
    Deno.writeTextFileSync(one, "");
    Deno.writeTextFileSync(other, "");
    Deno.symlinkSync(one, link);
    const found = [one, other, link].map(fileIdentity);
    assertEquals(new Set(found.map((file) => file!.id)).size, 3);
    assertEquals(found.map((file) => file!.isSocket), [false, false, false]);
    assertEquals([fileIdentity(one), fileIdentity(`${folder}/none`)], [found[0], undefined]);
  }));

Deno.test("peekSocket() reads what waits in a socket, and leaves it", () => {
  const [near, far] = createSocketPair()!, event = createEvent();
  assertEquals([peekSocket(far), peekSocket(event), isSocket(event)], [undefined, undefined, false]);
  signalEvent(near, 0x1234_5678_9abcn);
  assertEquals([peekSocket(far), peekSocket(far), pollDescriptor(far, 0)], [
    0x1234_5678_9abcn,
    0x1234_5678_9abcn,
    true,
  ]);
  closeDescriptor(near);
  assertEquals(peekSocket(far), 0x1234_5678_9abcn, "also when the other end is closed");
  [far, event].forEach(closeDescriptor);
});
