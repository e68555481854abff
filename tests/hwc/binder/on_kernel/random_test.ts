import { assert, assertInstanceOf } from "@std/assert";
import { closeDescriptor, createMemoryFile } from "../../../../ffi/file/file_descriptor.ts";
import { connectAidl } from "../../../../hwc/binder/aidl/connect.ts";
import type { BinderItem, Message, RemoteObject } from "../../../../hwc/binder/bus.ts";
import { Device } from "../../../../hwc/binder/driver/device.ts";
import { discard } from "../../../../hwc/binder/driver/read_message.ts";
import { FLAG, TRANSACTION } from "../../../../hwc/binder/driver/uapi.ts";
import { writeCall } from "../../../../hwc/binder/driver/write_message.ts";
import { AidlWriter } from "../../../../hwc/binder/parcel/aidl/dialect.ts";
import { composerService } from "../../../../hwc/binder/serve.ts";
import { BinderStatusError } from "../../../../hwc/binder/status.ts";
import { HwcError } from "../../../../hwc/hwc_error.ts";
import { createReferenceComposer } from "../../../../hwc/simulated/reference_composer.ts";
import { count } from "../../../support/counts.ts";
import { LONG } from "../../kms/on_cards/on_vkms.ts";
import { BROKERED, message, ON_BINDER, remoteOf, withPeers } from "../driver/on_binder.ts";
import { Screen } from "./screen.ts";
import { until } from "../../../support/until.ts";

/** Transactions in all; a third of them goes the other way, a tenth is broken for the kernel itself. */
const TRANSACTIONS = LONG ? 10_000 : count(160, 160, 1000), AT_ONCE = 8;
const SMALL = { panels: [{ modes: [{ width: 64, height: 48, refreshRate: 60 }] }], flattenAfter: 0 };
const BAD_WORDS = [-1, 0, 1, 4, -2147483648, 2147483647, -100, 65536, 0x7fff_fffe];
const CODES = [0, 1, 5, 23, 27, 51, 52, 0x00ff_fffe, 0x00ff_ffff, 0x5f50_4e47, 0x5f44_4d50, 0x5f4e_5446, 0xffff_ffff];

/** Numbers that look random and are the same each time. */
class Dice {
  #state: number;

  constructor(seed: number) {
    this.#state = seed >>> 0 || 1;
  }

  /** A whole number below another. */
  below(limit: number): number {
    this.#state ^= this.#state << 13;
    this.#state ^= this.#state >>> 17;
    this.#state ^= this.#state << 5;
    return (this.#state >>> 0) % limit;
  }

  one<Value>(values: readonly Value[]): Value {
    return values[this.below(values.length)];
  }
}

/** A transaction that a well-behaved client sent. */
interface Recorded {
  readonly target: RemoteObject;
  readonly code: number;
  readonly message: Message;
}

/** The same object, whose calls are noted, with one file in the place of all that they bring. */
function noting(target: RemoteObject, notes: Recorded[], fd: number): RemoteObject {
  return {
    async transact(code, given, options) {
      const items = given.items.map((item): BinderItem => item.kind === "fd" ? { ...item, fd } : item);
      notes.push({ target, code, message: { bytes: given.bytes.slice(), items } });
      const answer = await target.transact(code, given, options);
      return {
        ...answer,
        items: answer.items.map((item) =>
          item.kind === "remote" ? { ...item, object: noting(item.object, notes, fd) } : item
        ),
      };
    },
    onDeath: (callback) => target.onDeath(callback),
    release: () => {}, // random calls come later
  };
}

/** A message like another, but cut, with other words, other objects, or as it was. */
function spoilt(dice: Dice, { code, message: { bytes, items } }: Recorded, fd: number): readonly [number, Message] {
  const words = bytes.length >> 2, at = 4 * dice.below(Math.max(1, words));
  switch (dice.below(7)) {
    case 0:
      return [dice.one(CODES), { bytes, items }];
    case 1:
      return [code, { bytes: bytes.slice(0, at), items: items.filter((item) => item.at + 40 <= at) }];
    case 2:
    case 3: {
      const changed = bytes.slice();
      if (words > 0) new DataView(changed.buffer).setInt32(at, dice.one(BAD_WORDS), true);
      return [code, { bytes: changed, items }];
    }
    case 4:
      return [code, { bytes, items: [] }];
    case 5:
      return [code, { bytes: new Uint8Array(4 * dice.below(30)).map(() => dice.below(256)), items: [] }];
    default: {
      const free = items.every((item) => at + 24 <= item.at || at >= item.at + 40) && at + 24 <= bytes.length;
      const more: BinderItem[] = free ? [{ at, kind: "fd", fd }] : [];
      return [code, { bytes, items: [...items, ...more].sort((one, other) => one.at - other.at) }];
    }
  }
}

/** Sends spoilt transactions, a few at a time. Every one gets an answer or a status. Returns how many were refused. */
async function send(dice: Dice, notes: readonly Recorded[], fd: number, wanted: number): Promise<number> {
  let refused = 0;
  for (let sent = 0; sent < wanted; sent += AT_ONCE) {
    await Promise.all(Array.from({ length: AT_ONCE }, async () => {
      const note = dice.one(notes), [code, given] = spoilt(dice, note, fd);
      try {
        discard(await note.target.transact(code, given, { oneway: dice.below(5) === 0 }));
      } catch (error) {
        assertInstanceOf(error, BinderStatusError, `${error instanceof Error ? error.stack : error}`);
        refused++;
      }
    }));
  }
  return refused;
}

/** Sends the kernel transactions whose handles, sizes and places are wrong. It refuses all of them, or delivers what is left. */
function sendBroken(dice: Dice, wanted: number): void {
  const device = new Device(BROKERED);
  for (let sent = 0; sent < wanted; sent++) {
    const { block, length } = writeCall(1 + dice.below(5), 1, FLAG.ONE_WAY, message(4 * dice.below(20)), NOBODY);
    const field = dice.one([
      TRANSACTION.dataSize,
      TRANSACTION.offsetsSize,
      TRANSACTION.buffersSize,
      TRANSACTION.offsets,
    ]);
    block.view.setBigInt64(4 + field, BigInt(dice.one(BAD_WORDS)), true);
    device.exchange(block, length);
    block.close();
  }
  device.close();
}

const NOBODY = { local: () => 0n, remote: () => 0 };

Deno.test(
  "random transactions from both sides get an answer or a status, and the composer goes on",
  ON_BINDER,
  async () => {
    const dice = new Dice(36);
    using composer = createReferenceComposer(SMALL);
    const fd = createMemoryFile("random"), service = composerService(composer);
    await withPeers(
      (code, given, call) => service.object.transact(code, given, call),
      async ({ object, server, client }) => {
        const notes: Recorded[] = [], far = await connectAidl(noting(object, notes, fd), 16), screen = new Screen(far);
        await screen.open();
        for (let number = 0; number < 3; number++) await screen.frame(number);
        const item = notes.flatMap(({ message: { items } }) => items).find(({ kind }) => kind === "local");
        if (item?.kind !== "local") throw new Error("the client registered no callback");
        await client.contextManager().transact(1, { ...KEPT, items: [{ at: 4, kind: "local", object: item.object }] });
        const callback = remoteOf((await server.contextManager().transact(2, KEPT)).items[0]);
        const calls = Array.from(
          { length: 9 },
          (_, code) => ({ target: callback, code: code + 1, message: callbackCall() }),
        );
        const refused = [
          await send(dice, notes.filter(({ target, code }) => target !== object || code !== 1), fd, TRANSACTIONS * 0.6),
          await send(dice, calls, fd, TRANSACTIONS * 0.3),
        ];
        sendBroken(dice, TRANSACTIONS / 10);
        assert(Math.min(...refused) > TRANSACTIONS / 30, `only ${refused} were refused`);
        await far.flush().catch((error) => assertInstanceOf(error, HwcError));
        screen.close();
        await far[Symbol.asyncDispose]();
        callback.release();
        await client.contextManager().transact(3, KEPT);
        for (const target of new Set(notes.map((note) => note.target))) if (target !== object) target.release();
        await until("the service has no client", () => !service.hasClient);
        const next = await connectAidl(object, 16), after = new Screen(next);
        await after.open();
        await after.frame(0);
        after.close();
        await next[Symbol.asyncDispose]();
      },
    );
    await service.close();
    closeDescriptor(fd);
  },
);

/** The broker's message about the client's callback. */
const KEPT = message([250, ...new Uint8Array(27)]);

/** A call of IComposerCallback whose arguments suit most methods. */
function callbackCall(): Message {
  const to = new AidlWriter({ release: 16, version: 3 });
  to.token("android.hardware.graphics.composer3.IComposerCallback");
  to.i64(1n);
  to.i64(2n);
  to.i32(3);
  return to.message();
}
