/**
 * Peers that do what no library of Android does: they answer with objects that nobody sent, go in the middle of calls, or
 * never stop calling. Each test ends with the statistics of the kernel as they were, and with no file more.
 *
 * @module
 */
import { assert, assertEquals } from "@std/assert";
import type { NativeBlock } from "../../../../ffi/block.ts";
import { closeDescriptor, createMemoryFile } from "../../../../ffi/file/file_descriptor.ts";
import type { BinderItem, LocalObject, Message, RemoteObject } from "../../../../hwc/binder/bus.ts";
import { Device } from "../../../../hwc/binder/driver/device.ts";
import { openBinder } from "../../../../hwc/binder/driver/open_binder.ts";
import { discard, Incoming } from "../../../../hwc/binder/driver/read_message.ts";
import { BC, BR, payloadSize, TRANSACTION } from "../../../../hwc/binder/driver/uapi.ts";
import { type Numbers, type Transaction, writeCall, writeReply } from "../../../../hwc/binder/driver/write_message.ts";
import { type BinderStatusError, STATUS } from "../../../../hwc/binder/status.ts";
import { BROKERED, message, ON_BINDER, remoteOf, withPeers } from "./on_binder.ts";
import { until } from "../../../support/until.ts";

const WEAK_BINDER = 0x77622a85, WEAK_HANDLE = 0x77682a85, DATA = 80;

/** The end of a call: the kinds of what it brings, or its status. */
function endOf(call: Promise<Message>): Promise<string | number> {
  const kinds = (answer: Message) => (discard(answer), `${answer.items.map(({ kind }) => kind)}`);
  return call.then(kinds, (error: BinderStatusError) => error.code);
}

/** The object that a bus finds by a number at the broker. */
async function known(bus: { contextManager(): RemoteObject }, number: number): Promise<RemoteObject> {
  return remoteOf((await bus.contextManager().transact(2, numbered(number))).items[0]);
}

function numbered(number: number, ...items: BinderItem[]): Message {
  return { bytes: Uint8Array.from([number, ...new Uint8Array(27)]), items };
}

/** A process that writes what it likes. */
class Stranger {
  readonly device: Device = new Device(BROKERED);

  constructor() {
    const enter = new Uint8Array(4);
    new DataView(enter.buffer).setUint32(0, BC.ENTER_LOOPER, true);
    this.device.write(enter);
  }

  /** Registers an object at the broker. */
  async register(number: number, id: bigint): Promise<void> {
    const object: LocalObject = { transact: () => message() };
    const numbers = { ...NUMBERS, local: () => id };
    this.send(writeCall(0, 1, 0, numbered(number, { at: 4, kind: "local", object }), numbers));
    await this.#next(BR.REPLY);
  }

  /** Answers the next call. */
  async answer(reply: Transaction): Promise<void> {
    await this.#next(BR.TRANSACTION);
    this.send(reply);
  }

  send({ block, length }: Transaction): void {
    this.device.exchange(block, length);
    block.close();
  }

  /** Waits for a return, and gives its memory back. */
  async #next(wanted: number): Promise<void> {
    for (let turn = 0; turn < 2000; turn++, await new Promise((done) => setTimeout(done, 5))) {
      const { bytes } = this.device.exchange(), view = new DataView(bytes.buffer);
      for (let at = 0; at + 4 <= bytes.length; at += 4 + payloadSize(view.getUint32(at, true))) {
        if (view.getUint32(at, true) !== wanted) continue;
        const free = new DataView(new ArrayBuffer(12));
        free.setUint32(0, BC.FREE_BUFFER, true);
        free.setBigUint64(4, new Incoming(this.device, view, at + 4).buffer, true);
        return this.device.write(new Uint8Array(free.buffer));
      }
    }
    throw new Error(`the kernel did not return ${wanted}`);
  }
}

const NUMBERS: Numbers = { local: () => 0xdead_0000n, remote: () => 9999 };
const THING: LocalObject = { transact: () => message() };
const FAR: RemoteObject = { transact: () => Promise.resolve(message()), onDeath: () => () => {}, release: () => {} };

/** A reply with one object, which is changed behind its making. */
function reply(item: BinderItem, change: (block: NativeBlock) => void = () => {}): Transaction {
  const written = writeReply({ bytes: new Uint8Array(44), items: [item] }, NUMBERS);
  change(written.block);
  return written;
}

/** Answers with objects, and how the caller's call ends. */
const ANSWERS: readonly (readonly [string, () => Transaction, string | number])[] = [
  ["a handle that it does not have", () => reply({ at: 4, kind: "remote", object: FAR }), STATUS.FAILED_TRANSACTION],
  ["a descriptor that is not open", () => reply({ at: 4, kind: "fd", fd: 9999 }), STATUS.FAILED_TRANSACTION],
  ["an object that it made up", () => reply({ at: 4, kind: "local", object: THING }), "remote"],
  [
    "a weak reference to one",
    () => reply({ at: 4, kind: "local", object: THING }, ({ view }) => view.setUint32(DATA + 4, WEAK_BINDER, true)),
    "",
  ],
  [
    "a weak handle that it does not have",
    () => reply({ at: 4, kind: "remote", object: FAR }, ({ view }) => view.setUint32(DATA + 4, WEAK_HANDLE, true)),
    STATUS.FAILED_TRANSACTION,
  ],
  [
    "a kind of object that there is not",
    () => reply({ at: 4, kind: "local", object: THING }, ({ view }) => view.setUint32(DATA + 4, 0xffff_ffff, true)),
    STATUS.FAILED_TRANSACTION,
  ],
  [
    "a buffer out of memory that is not mapped",
    () => {
      const bytes = new Uint8Array(64), change = ({ view }: NativeBlock) => view.setBigUint64(DATA + 12, 16n, true);
      return reply({ at: 4, kind: "buffer", bytes }, change);
    },
    STATUS.FAILED_TRANSACTION,
  ],
  [
    "more data than there is memory",
    () => {
      const change = ({ view }: NativeBlock) => view.setBigUint64(4 + TRANSACTION.dataSize, 1n << 40n, true);
      return reply({ at: 4, kind: "local", object: THING }, change);
    },
    STATUS.FAILED_TRANSACTION,
  ],
];

Deno.test(
  "an object that answers with what it never had is told as a status, and the next call goes on",
  ON_BINDER,
  async () => {
    await withPeers(() => message(), async ({ client }) => {
      const stranger = new Stranger();
      await stranger.register(210, 0xbeef_0000n);
      const object = await known(client, 210);
      for (const [name, make, end] of ANSWERS) {
        const ended = endOf(object.transact(1, message()));
        await stranger.answer(make());
        assertEquals(await ended, end, name);
      }
      const ended = endOf(object.transact(1, message()));
      await stranger.answer(writeReply(message(), NUMBERS));
      assertEquals(await ended, "");
      const told: string[] = [];
      object.onDeath(() => told.push("dead"));
      const open = endOf(object.transact(1, message()));
      stranger.device.close();
      assertEquals(await open, STATUS.DEAD_OBJECT, "and a call that it had not taken");
      await until("somebody is told", () => told.length > 0);
      object.release();
      await client.contextManager().transact(3, numbered(210));
    });
  },
);

Deno.test("a call without an answer leaves nothing of what the method answers with", ON_BINDER, async () => {
  let came = 0;
  const serve = () => (came++, message(28, { at: 4, kind: "fd", fd: createMemoryFile("unwanted") }));
  await withPeers(serve, async ({ object }) => {
    for (let turn = 0; turn < 10; turn++) await object.transact(1, message(), { oneway: true });
    await until("ten calls came", () => came === 10);
    assertEquals(came, 10);
  });
});

Deno.test("calls without answers that fill the room for them, with files, stop nobody else", ON_BINDER, async () => {
  let came = 0, go: () => void = () => {};
  const held = new Promise<void>((resolve) => go = resolve), fd = createMemoryFile("flood");
  const serve: LocalObject["transact"] = async (code, given, { oneway }) => {
    if (oneway) await held;
    came += oneway ? 1 : 0;
    discard(given);
    return message([code]);
  };
  await withPeers(serve, async ({ object, server }) => {
    const flooding = openBinder(BROKERED);
    await server.contextManager().transact(1, numbered(211, { at: 4, kind: "local", object: { transact: serve } }));
    const target = await known(flooding, 211), flood = message(60_000, { at: 4, kind: "fd", fd });
    let sent = 0, refused = 0;
    for (; refused < 3 && sent < 60; sent++) await target.transact(1, flood, { oneway: true }).catch(() => refused++);
    assert(refused === 3, `${sent} of 60,000 bytes had room`);
    assertEquals((await object.transact(7, message(1000))).bytes, Uint8Array.of(7), "an answer in the middle of it");
    go();
    await until("each call came that was not refused", () => came === sent - refused);
    assertEquals(came, sent - refused);
    await target.transact(1, flood, { oneway: true });
    await until("one call more came", () => came === sent - refused + 1);
    await server.contextManager().transact(3, numbered(211));
    await flooding.close();
  });
  closeDescriptor(fd);
});

/** Calls the object that a call brings. */
async function relay(_: number, { items }: Message): Promise<Message> {
  const callback = remoteOf(items[0]);
  try {
    return await callback.transact(1, message());
  } finally {
    callback.release();
  }
}

Deno.test("a side that goes while a call inside its call runs ends both, in either direction", ON_BINDER, async () => {
  for (const whoGoes of ["caller", "called"] as const) {
    const mortal = openBinder(BROKERED), started = Promise.withResolvers<void>();
    let go: () => void = () => {};
    const held = new Promise<void>((resolve) => go = resolve);
    const callback: LocalObject = { transact: () => (started.resolve(), held.then(() => message())) };
    const brings = message(28, { at: 4, kind: "local", object: callback });
    await withPeers(() => message(), async ({ server, client }) => {
      const [owner, caller] = whoGoes === "caller" ? [server, mortal] : [mortal, client];
      const registered: LocalObject = { transact: relay };
      await owner.contextManager().transact(1, numbered(212, { at: 4, kind: "local", object: registered }));
      const far = await known(caller, 212);
      await client.contextManager().transact(3, numbered(212));
      const ended = endOf(far.transact(1, brings));
      await started.promise;
      const closing = mortal.close();
      go();
      await closing;
      assertEquals(await ended, STATUS.DEAD_OBJECT, whoGoes);
      far.release();
    });
  }
});

Deno.test("a bus that is closed gives up a reply that waits behind a call of its thread", ON_BINDER, async () => {
  const asked = Promise.withResolvers<void>(), inner = Promise.withResolvers<Message>();
  await withPeers(() => message(), async ({ client }) => {
    const mortal = openBinder(BROKERED);
    const hasty: LocalObject["transact"] = async (_, { items }) => {
      const callback = remoteOf(items[0]);
      callback.transact(1, message()).catch(() => {}).finally(() => callback.release());
      await asked.promise;
      return message(28, { at: 4, kind: "fd", fd: createMemoryFile("waits") });
    };
    await mortal.contextManager().transact(1, numbered(213, { at: 4, kind: "local", object: { transact: hasty } }));
    const far = await known(client, 213);
    await client.contextManager().transact(3, numbered(213));
    const callback: LocalObject = { transact: () => (asked.resolve(), inner.promise) };
    const ended = endOf(far.transact(1, message(28, { at: 4, kind: "local", object: callback })));
    await asked.promise;
    await new Promise((done) => setTimeout(done, 20));
    await mortal.close();
    inner.resolve(message()); // what the kernel wants before it ends the call around it
    assertEquals(await ended, STATUS.DEAD_OBJECT);
    far.release();
  });
});
