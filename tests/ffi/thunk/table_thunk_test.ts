import { assertEquals, assertThrows } from "@std/assert";
import { arena, inFrame } from "../../../ffi/arena.ts";
import { takeFault } from "../../../ffi/error.ts";
import { invokeAddress } from "../../../ffi/machine.ts";
import { CallRing } from "../../../ffi/thunk/ring.ts";
import { createTableThunk } from "../../../ffi/thunk/table_thunk.ts";
import { fixture, NEEDS_FIXTURE } from "../fixture.ts";
import { until } from "../../support/until.ts";

/** Where, in the tables, the function lies that is next. */
const NEXT = 16;

/** Two objects, each with a table of its own whose next function is `two`; gives the addresses of objects and tables. */
function withObjects(run: (objects: bigint[], tables: bigint[]) => void): void {
  inFrame((memory) => {
    const places = [0, 1].map(() => ({ table: memory.alloc(NEXT + 8), object: memory.alloc(8) }));
    for (const { table, object } of places) {
      memory.view.setBigUint64(table + NEXT, fixture("two"), true);
      memory.view.setBigUint64(object, memory.address(table), true);
    }
    run(places.map(({ object }) => memory.address(object)), places.map(({ table }) => memory.address(table)));
  });
}

/** Gives an object a table with a function of the fixture's at 0. */
function leadTo(name: string, object: bigint): void {
  const memory = arena(), table = memory.alloc(8);
  memory.view.setBigUint64(table, fixture(name), true);
  memory.view.setBigUint64(Number(object - memory.base), memory.address(table), true);
}

Deno.test("createTableThunk() does what the table of the first argument wants", NEEDS_FIXTURE, () => {
  withObjects((objects, tables) => {
    const asked: bigint[] = [];
    const thunk = createTableThunk("q:qq", (table) => {
      asked.push(table);
      return (_object, value: bigint) => value + BigInt(tables.indexOf(table));
    }, { nextInTable: NEXT });
    const call = (index: number) => invokeAddress(thunk.address, "q:qq", [objects[index], 10n]);
    assertEquals([call(0), call(0), call(1), call(1), call(0)], [10n, 10n, 11n, 11n, 10n]);
    assertEquals(asked, [tables[0], tables[1], tables[0]]);
    thunk.refresh();
    assertEquals([call(0), asked.length], [10n, 4]);
    thunk.free();
  });
});

Deno.test("createTableThunk() leads elsewhere through the table when it is closed", NEEDS_FIXTURE, () => {
  withObjects(([object], [table]) => {
    const thunk = createTableThunk("q:qq", () => () => 1n, { nextInTable: NEXT, failure: 77n });
    thunk.close();
    assertEquals(invokeAddress(thunk.address, "q:qq", [object, 3n]), object + 6n);
    arena().view.setBigUint64(Number(table - arena().base) + NEXT, 0n, true);
    assertEquals(invokeAddress(thunk.address, "q:qq", [object, 3n]), 77n);
    thunk.free();
  });
});

Deno.test("createTableThunk() does nothing for NULL, on any thread, and returns the failure", NEEDS_FIXTURE, () => {
  let calls = 0;
  const thunk = createTableThunk("s:q", () => () => ++calls, { nextInTable: NEXT, failure: -7 });
  const next = createTableThunk("s:q", () => () => ++calls, { nextInTable: NEXT, next: fixture("succeed") });
  for (const { address } of [thunk, next]) {
    const failure = address === thunk.address ? -7 : -3;
    assertEquals(invokeAddress(address, "s:q", [0n]), failure);
    assertEquals(invokeAddress(fixture("call_result_on_thread"), "s:qq", [address, 0n]), failure);
  }
  assertEquals(calls, 0);
  thunk.free();
  next.free();
});

Deno.test("createTableThunk() is skipped on a foreign thread, all arguments in place", NEEDS_FIXTURE, () => {
  withObjects(([object]) => {
    leadTo("succeed", object);
    let calls = 0;
    const thunk = createTableThunk("s:q", () => () => ++calls, { nextInTable: 0 });
    assertEquals(invokeAddress(fixture("call_result_on_thread"), "s:qq", [thunk.address, object]), Number(object) | 0);
    assertEquals([invokeAddress(thunk.address, "s:q", [object]), calls], [1, 1]);
    thunk.free();
  });
});

Deno.test('createTableThunk() with "record" notes a call of a foreign thread and goes on', NEEDS_FIXTURE, () => {
  withObjects(([object]) => {
    using ring = new CallRing();
    leadTo("succeed", object);
    const thunk = createTableThunk("s:q", () => () => 1, { nextInTable: 0, onForeignThread: "record", ring });
    assertEquals(invokeAddress(fixture("call_result_on_thread"), "s:qq", [thunk.address, object]), Number(object) | 0);
    const seen: unknown[] = [];
    ring.drain(({ thunk, args }) => seen.push(thunk.address, ...args));
    assertEquals([seen, invokeAddress(thunk.address, "s:q", [object])], [[thunk.address, object], 1]);
    assertEquals(invokeAddress(fixture("call_result_on_thread"), "s:qq", [thunk.address, 0n]), -3); // NULL is nobody's call
    assertEquals(ring.drain(() => {}), 0);
    thunk.free();
  });
});

Deno.test(
  'createTableThunk() with "block" runs the handler for a foreign thread on this one',
  NEEDS_FIXTURE,
  async () => {
    const memory = arena(), object = memory.alloc(8), table = memory.alloc(8);
    memory.view.setBigUint64(object, memory.address(table), true);
    const got: unknown[] = [];
    const { promise, resolve } = Promise.withResolvers<void>();
    const thunk = createTableThunk("s:q", (key) => (argument) => {
      got.push(key, argument);
      resolve();
      return 0;
    }, { nextInTable: 0, onForeignThread: "block" });
    invokeAddress(fixture("start_on_thread"), "v:qq", [thunk.address, memory.address(object)]);
    const alive = setInterval(() => {}, 1);
    await promise;
    clearInterval(alive);
    assertEquals(got, [memory.address(table), memory.address(object)]);
    await until("the native thread is done", () => invokeAddress(fixture("done"), "w:", []) !== 0);
    thunk.free();
  },
);

Deno.test("createTableThunk() keeps what a handler, or the search for one, throws", NEEDS_FIXTURE, () => {
  withObjects(([object]) => {
    const fail = () => {
      throw new Error("no");
    };
    for (const handlerOf of [fail, () => fail]) {
      const thunk = createTableThunk("s:q", handlerOf, { nextInTable: NEXT });
      assertEquals(invokeAddress(thunk.address, "s:q", [object]), -3);
      assertEquals((takeFault() as Error).message, "no");
      thunk.free();
    }
    assertThrows(() => createTableThunk("s:q", fail, { nextInTable: 0, failure: 1n }), TypeError, "failure");
  });
});

Deno.test(
  "createTableThunk() still does what each table wants when it is called often enough to be compiled alone",
  NEEDS_FIXTURE,
  () => {
    withObjects((objects, tables) => {
      let factor = 1n, asked = 0;
      const thunk = createTableThunk("q:qq", (table) => {
        asked++;
        const own = factor;
        return (_object, value: bigint) => own * value + BigInt(tables.indexOf(table));
      }, { nextInTable: NEXT });
      const call = (index: number) => invokeAddress(thunk.address, "q:qq", [objects[index], 10n]);
      for (let i = 0; i < 3000; i++) assertEquals(call(0), 10n);
      assertEquals(asked <= 2, true); // once more when it was compiled
      assertEquals([call(1), call(0)], [11n, 10n]);
      factor = 2n;
      thunk.refresh();
      assertEquals([call(0), call(1)], [20n, 21n]);
      thunk.free();
      assertEquals(call(0), objects[0] + 20n); // what is next
    });
  },
);
