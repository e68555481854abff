import { assert, assertEquals, assertRejects, assertThrows } from "@std/assert";
import { createMemoryFile, nameOfDescriptor } from "../../../../ffi/file/file_descriptor.ts";
import type { BinderItem, LocalObject, Message, RemoteObject } from "../../../../hwc/binder/bus.ts";
import { openBinder } from "../../../../hwc/binder/driver/open_binder.ts";
import { BinderStatusError, STATUS } from "../../../../hwc/binder/status.ts";
import { closeDescriptor } from "../../../../ffi/file/file_descriptor.ts";
import { BROKERED, inUse, message, ON_BINDER, remoteOf, TestDevice, withPeers } from "./on_binder.ts";
import { until } from "../../../support/until.ts";

/** The status that a call ends with. */
async function statusOf(call: Promise<Message>): Promise<number> {
  return (await assertRejects(() => call, BinderStatusError)).code;
}

const ECHO: LocalObject["transact"] = (code, { bytes }) => message([code, ...bytes]);

Deno.test("transact() gives what the object answers, of any size that has room", ON_BINDER, async () => {
  await withPeers(
    (code, { bytes }) => ({ bytes: code === 2 ? new Uint8Array(bytes.length).fill(7) : bytes, items: [] }),
    async ({ object }) => {
      for (const size of [0, 1, 3, 4, 4097, 600_000]) {
        const bytes = new Uint8Array(size).map((_, index) => index * 7);
        assertEquals((await object.transact(1, { bytes, items: [] })).bytes, bytes, `${size} bytes`);
      }
      assertEquals(await statusOf(object.transact(1, message(1_100_000))), STATUS.FAILED_TRANSACTION);
      assertEquals(
        (await object.transact(2, message(5))).bytes,
        new Uint8Array(5).fill(7),
        "and the next call goes on",
      );
    },
  );
});

Deno.test(
  "transact() rejects with the status that an object throws, and with FAILED_TRANSACTION for other errors",
  ON_BINDER,
  async () => {
    const serve = (code: number) => {
      if (code === 1) throw new BinderStatusError(STATUS.UNKNOWN_TRANSACTION, "no such method");
      if (code === 2) throw new TypeError("a fault");
      return Promise.reject(new BinderStatusError(-12345, "later"));
    };
    await withPeers(serve, async ({ object }) => {
      const codes = [await statusOf(object.transact(1, message())), await statusOf(object.transact(2, message()))];
      assertEquals(codes, [STATUS.UNKNOWN_TRANSACTION, STATUS.FAILED_TRANSACTION]);
      assertEquals(await statusOf(object.transact(3, message())), -12345);
    });
  },
);

Deno.test("calls in both directions nest in one chain of threads", ON_BINDER, async () => {
  const serve: LocalObject["transact"] = async (code, { items }) => {
    const callback = remoteOf(items[0]);
    const answer = code === 0
      ? message([0])
      : await callback.transact(code - 1, message(24, { at: 0, kind: "local", object: server }));
    callback.release();
    return message([code, ...answer.bytes]);
  };
  const server: LocalObject = { transact: serve }, client: LocalObject = { transact: serve };
  await withPeers(serve, async ({ object, server: { counts } }) => {
    const { bytes } = await object.transact(5, message(24, { at: 0, kind: "local", object: client }));
    assertEquals([...bytes], [5, 4, 3, 2, 1, 0, 0]);
    assert(counts.threads <= 2, `${counts.threads} threads`);
  });
});

Deno.test("calls that wait for each other are under way at the same time", ON_BINDER, async () => {
  const waiting: (() => void)[] = [];
  const serve = async (code: number) => {
    const done = new Promise<void>((resolve) => waiting.push(resolve));
    if (waiting.length === 4) waiting.splice(0).forEach((resolve) => resolve());
    await done;
    return message([code]);
  };
  await withPeers(serve, async ({ object }) => {
    const answers = await Promise.all([1, 2, 3, 4].map((code) => object.transact(code, message())));
    assertEquals(answers.map(({ bytes }) => bytes[0]), [1, 2, 3, 4]);
  });
});

Deno.test(
  "loopers that calls at one time needed end when idle, and calls meanwhile are answered",
  ON_BINDER,
  async () => {
    const waiting: (() => void)[] = [];
    const serve = async (code: number) => {
      if (code === 9) return await Promise.resolve(message([9]));
      const done = new Promise<void>((resolve) => waiting.push(resolve));
      if (waiting.length === 6) waiting.splice(0).forEach((resolve) => resolve());
      await done;
      return message([code]);
    };
    await withPeers(serve, async ({ object, server, client }) => {
      await Promise.all([1, 2, 3, 4, 5, 6].map((code) => object.transact(code, message())));
      const most = inUse().thread;
      assert(server.counts.threads >= 5, `${server.counts.threads} threads of the server take calls`);
      const end = performance.now() + 60_000;
      let answered = 0;
      for (; (server.counts.threads > 1 || client.counts.threads > 3) && performance.now() < end; answered++) {
        assertEquals((await object.transact(9, message())).bytes[0], 9);
        await new Promise((done) => setTimeout(done, 20));
      }
      assertEquals([server.counts.threads, client.counts.threads], [1, 3], "two threads of the client's rest");
      await until("four threads have ended", () => inUse().thread <= most - 4);
      assert(answered > 3 && inUse().thread <= most - 4, `${answered} calls, ${inUse().thread} of ${most} threads`);
    });
  },
);

Deno.test("oneway calls to an object come in order, the next one when the last is done", ON_BINDER, async () => {
  const came: number[] = [];
  let isBusy = false;
  const serve: LocalObject["transact"] = async (code, _, { oneway, callerPid }) => {
    assertEquals([oneway, callerPid, isBusy], [true, 0, false]);
    isBusy = true;
    await new Promise((done) => setTimeout(done, 1));
    isBusy = false;
    came.push(code);
    return message();
  };
  await withPeers(serve, async ({ object }) => {
    for (let code = 1; code <= 20; code++) await object.transact(code, message(), { oneway: true });
    await until("20 calls came", () => came.length === 20);
    assertEquals(came, Array.from({ length: 20 }, (_, index) => index + 1));
  });
});

Deno.test("oneway calls that have no room are refused, and later ones go through", ON_BINDER, async () => {
  let came = 0, go: () => void = () => {};
  const held = new Promise<void>((resolve) => go = resolve);
  await withPeers(() => held.then(() => (came++, message())), async ({ object }) => {
    let sent = 0, refused: unknown;
    for (; sent < 20 && !refused; sent++) {
      await object.transact(1, message(120_000), { oneway: true }).catch((error) => refused = error);
    }
    assert(refused instanceof BinderStatusError && sent === 5, `${sent} were sent: ${refused}`);
    go();
    await until("four calls came", () => came === 4);
    await object.transact(1, message(120_000), { oneway: true });
    await until("five calls came", () => came === 5);
    assertEquals(came, 5);
  });
});

Deno.test("an object comes home as itself, and is told when nobody has it any more", ON_BINDER, async () => {
  const kept: ReturnType<typeof remoteOf>[] = [], released: string[] = [];
  const serve: LocalObject["transact"] = (code, { items }) => {
    if (code === 1) {
      kept.push(remoteOf(items[0]));
      return message(24, { at: 0, kind: "remote", object: kept[0] });
    }
    kept.splice(0).forEach((object) => object.release());
    return message();
  };
  await withPeers(serve, async ({ object }) => {
    const own: LocalObject = { transact: ECHO, released: () => void released.push("released") };
    const send = () => object.transact(1, message(28, { at: 4, kind: "local", object: own }));
    const [{ items }] = [await send(), await send()];
    assertEquals(items[0].kind === "local" && items[0].object === own, true);
    assert(kept[0] === kept[1], "one object of the client's is one object here");
    assertEquals(released, []);
    await object.transact(2, message());
    await until("an object is released", () => released.length > 0);
    assertEquals(released, ["released"]);
  });
});

Deno.test(
  "a released object cannot be called, and a message with an object of another bus is refused",
  ON_BINDER,
  async () => {
    const own: LocalObject = { transact: ECHO };
    await withPeers(() => message(24, { at: 0, kind: "local", object: own }), async ({ object, server }) => {
      const given = remoteOf((await object.transact(1, message())).items[0]);
      assertEquals([...(await given.transact(9, message([1]))).bytes], [9, 1]);
      given.release();
      given.release();
      assertEquals(await statusOf(given.transact(9, message())), STATUS.INVALID_OPERATION);
      const foreign = message(24, { at: 0, kind: "remote", object: server.contextManager() });
      assertEquals(await statusOf(object.transact(1, foreign)), STATUS.BAD_TYPE);
      assertEquals(
        await statusOf(object.transact(1, message(23, { at: 0, kind: "local", object: own }))),
        STATUS.BAD_VALUE,
      );
    });
  },
);

Deno.test("file descriptors come through as others for the same files, alone and in arrays", ON_BINDER, async () => {
  const seen: string[] = [];
  const serve: LocalObject["transact"] = (_, { items }) => {
    for (const item of items) {
      const fds = item.kind === "fd" ? [item.fd] : item.kind === "fdArray" ? item.fds : [];
      seen.push(...fds.map(nameOfDescriptor));
      fds.forEach(closeDescriptor);
    }
    const fd = createMemoryFile("answer"); // the bus closes the descriptors of a reply
    return message(28, { at: 4, kind: "fd", fd });
  };
  await withPeers(serve, async ({ object }) => {
    const [one, two] = [createMemoryFile("one"), createMemoryFile("two")], handle = new Uint8Array(12 + 8);
    new DataView(handle.buffer).setInt32(0, 12, true);
    const { items } = await object.transact(
      1,
      message(
        4 + 24 + 40 + 32,
        { at: 4, kind: "fd", fd: one },
        { at: 28, kind: "buffer", bytes: handle },
        { at: 68, kind: "fdArray", fds: [two, one], parent: 1, parentOffset: 12 },
      ),
    );
    assertEquals(seen.map((name) => /memfd:(\w+)/.exec(name)?.[1]), ["one", "two", "one"]);
    assert(items[0].kind === "fd" && nameOfDescriptor(items[0].fd).includes("answer"));
    [one, two].forEach(closeDescriptor);
    closeAll(items);
  });
});

Deno.test("buffers in buffers come through whole, with the place in their parent", ON_BINDER, async () => {
  await withPeers((_, { items }) => {
    const all = items.map((item) =>
      item.kind === "buffer" &&
      [item.parent ?? -1, item.parentOffset ?? -1, item.bytes.length, ...item.bytes.slice(8, 11)]
    );
    return { bytes: new TextEncoder().encode(JSON.stringify(all)), items: [] };
  }, async ({ object }) => {
    const outer = new Uint8Array(32).fill(1), inner = new Uint8Array(11).fill(2), last = new Uint8Array(24).fill(3);
    const { bytes } = await object.transact(
      1,
      message(
        4 + 4 * 40,
        { at: 4, kind: "buffer", bytes: outer },
        { at: 44, kind: "buffer", bytes: inner, parent: 0, parentOffset: 0 },
        { at: 84, kind: "buffer", bytes: last, parent: 0, parentOffset: 16 },
        { at: 124, kind: "buffer", bytes: new Uint8Array(0), parent: 2, parentOffset: 8 },
      ),
    );
    const seen = JSON.parse(new TextDecoder().decode(bytes));
    assertEquals(seen.slice(0, 2), [[-1, -1, 32, 1, 1, 1], [0, 0, 11, 2, 2, 2]]);
    assertEquals(seen.slice(2).map((each: number[]) => each.slice(0, 3)), [[0, 16, 24], [2, 8, 0]]);
  });
});

Deno.test(
  "onDeath() tells once when a bus is closed, at once when it was, and nothing once taken back",
  ON_BINDER,
  async () => {
    const own: LocalObject = { transact: ECHO }, told: string[] = [];
    let given: RemoteObject | undefined;
    await withPeers((code, { items }) => {
      if (code === 1) given = remoteOf(items[0]);
      return message();
    }, async ({ object }) => {
      const mortal = openBinder(BROKERED);
      await mortal.contextManager().transact(1, numbered(200, { at: 4, kind: "local", object: own }));
      const asker = openBinder(BROKERED);
      given = remoteOf((await asker.contextManager().transact(2, numbered(200))).items[0]);
      given.onDeath(() => told.push("once"));
      given.onDeath(() => told.push("taken back"))();
      await mortal.close();
      await until("somebody is told", () => told.length > 0);
      given.onDeath(() => told.push("late"));
      await until("somebody is told again", () => told.length > 1);
      assertEquals(told, ["once", "late"]);
      assertEquals(await statusOf(given.transact(1, message())), STATUS.DEAD_OBJECT);
      assertEquals(await statusOf(given.transact(1, message(), { oneway: true })), STATUS.DEAD_OBJECT);
      await asker.contextManager().transact(3, numbered(200));
      given.release();
      await until("the asker has no remote object", () => asker.counts.remotes === 0);
      assertEquals(asker.counts.remotes, 0);
      await asker.close();
      await object.transact(2, message());
    });
  },
);

Deno.test(
  "a call that is not answered in time is rejected, its late answer is given up, and the next ones go on",
  ON_BINDER,
  async () => {
    let go: () => void = () => {};
    const held = new Promise<void>((resolve) => go = resolve);
    const serve = async (code: number) => {
      if (code === 1) await held;
      return message(24, { at: 0, kind: "fd", fd: createMemoryFile("late") });
    };
    await withPeers(serve, async ({ object, server }) => {
      const hasty = openBinder(BROKERED, { timeout: 2000 });
      await server.contextManager().transact(1, numbered(201, { at: 4, kind: "local", object: { transact: serve } }));
      const slow = remoteOf((await hasty.contextManager().transact(2, numbered(201))).items[0]);
      const late = await assertRejects(() => slow.transact(1, message()), BinderStatusError);
      assertEquals(late.sentence, "the object did not answer within 2000 ms");
      const dropped = slow.transact(1, message()).then(({ items }) => closeAll(items), () => {});
      go();
      await dropped;
      closeAll((await object.transact(2, message())).items);
      await server.contextManager().transact(3, numbered(201));
      await hasty.close();
      assertEquals(await statusOf(slow.transact(2, message())), STATUS.INVALID_OPERATION);
    });
  },
);

Deno.test(
  "openBinder() says what is missing; a lack of a context manager and a second one are told",
  ON_BINDER,
  async () => {
    const messageOf = (path: string) => assertThrows(() => openBinder(path), BinderStatusError).message;
    const missing = "NAME_NOT_FOUND: there is no /dev/none: load the kernel's module binder_linux or mount a binderfs";
    assertEquals(messageOf("/dev/none"), missing);
    assertEquals(messageOf("/dev/null"), "BAD_TYPE: /dev/null is no device of binder: name /dev/binder");
    await withPeers(ECHO, async ({ client }) => {
      const refused = await assertRejects(() => client.becomeContextManager({ transact: ECHO }), BinderStatusError);
      assertEquals(refused.code, STATUS.ALREADY_EXISTS);
    });
    using device = new TestDevice();
    const bus = openBinder(device.path);
    assertEquals(await statusOf(bus.contextManager().transact(1, message())), STATUS.DEAD_OBJECT);
    assertEquals(await statusOf(bus.contextManager().transact(1, message(), { oneway: true })), STATUS.DEAD_OBJECT);
    await bus.close();
    await bus.close();
  },
);

/** A message of the broker. */
function numbered(number: number, ...items: BinderItem[]): Message {
  return { bytes: Uint8Array.from([number, ...new Uint8Array(27)]), items };
}

function closeAll(items: readonly BinderItem[]): void {
  for (const item of items) if (item.kind === "fd") closeDescriptor(item.fd);
}
