import { assert, assertEquals, assertNotEquals, assertStrictEquals, assertThrows } from "@std/assert";
import { arena } from "../../../ffi/arena.ts";
import { hasFault, rethrowFault, takeFault, takeFaults } from "../../../ffi/error.ts";
import type { NativeFunction } from "../../../ffi/image/image.ts";
import { invokeAddress } from "../../../ffi/machine.ts";
import { bindByAddress } from "../../../ffi/stubs.ts";
import { createThunk } from "../../../ffi/thunk/thunk.ts";
import { fixture, NEEDS_FIXTURE } from "../fixture.ts";
import { until } from "../../support/until.ts";

const TEN = "q:qqqqqqqqqq";

Deno.test("createThunk() passes ten integers, some on the stack", NEEDS_FIXTURE, () => {
  let got: bigint[] = [];
  const thunk = createThunk(TEN, (...args: bigint[]) => {
    got = args;
    return 0xfedc_ba98_7654_3210n;
  });
  assertEquals(invokeAddress(fixture("call10"), "q:q", [thunk.address]), 0xfedc_ba98_7654_3210n);
  assertEquals(got, [1n, 2n, 3n, 4n, 5n, 6n, 7n, 8n, 9n, 10n]);
  thunk.free();
});

Deno.test("createThunk() decodes signed and unsigned 32-bit arguments and results", NEEDS_FIXTURE, () => {
  let got: unknown[] = [];
  const thunk = createThunk("s:wsqqqqws", (...args) => {
    got = args;
    return -5;
  });
  assertEquals(invokeAddress(fixture("call_narrow"), "s:q", [thunk.address]), -5);
  assertEquals(got, [0xffffffff, -1, 3n, 4n, 5n, 6n, 0xfffffff7, -8]);
  thunk.free();
});

Deno.test("createThunk() passes floats beside integers and returns them", NEEDS_FIXTURE, () => {
  let got: unknown[] = [];
  const thunk = createThunk("d:qfdwfdfdfd", (...args) => {
    got = args;
    return -0.125;
  });
  assertEquals(invokeAddress(fixture("call_floats"), "d:q", [thunk.address]), -0.125);
  assertEquals(got, [11n, 1.5, -3.25, 44, 2.5, 6, 7, 8, 9, 10]);
  thunk.free();
  const half = createThunk("f:f", (value: number) => value / 2);
  assertEquals(invokeAddress(fixture("call_float1"), "f:qf", [half.address, 5]), 2.5);
  half.free();
});

Deno.test("createThunk() answers by the closure form as by the compiled one", NEEDS_FIXTURE, async () => {
  const { closureMaker } = await import("../../../ffi/thunk/body.ts");
  const { parseSignature } = await import("../../../ffi/signature.ts");
  const { SPILL } = await import("../../../ffi/emit/layout.ts");
  const view = new DataView(new ArrayBuffer(SPILL.size));
  view.setBigUint64(0, 5n, true);
  view.setInt32(8, -6, true);
  view.setFloat64(SPILL.floats, 0.5, true);
  const got: unknown[] = [];
  closureMaker(parseSignature("s:qsd"), view)((...args) => (got.push(...args), -7))();
  closureMaker(parseSignature("v:w"), view)((...args) => void got.push(...args))();
  assertEquals(got, [5n, -6, 0.5, 5]);
  assertEquals(view.getInt32(SPILL.result, true), -7);
  assertThrows(() => closureMaker(parseSignature("s:"), view)(() => undefined)(), TypeError, "Cannot return undefined");
});

Deno.test("a callback that throws surfaces at the caller, and native code saw an error", NEEDS_FIXTURE, () => {
  const error = new Error("from the handler");
  const thunk = createThunk("s:q", () => {
    throw error;
  });
  assertEquals(invokeAddress(fixture("call_result"), "s:qq", [thunk.address, 1n]), -3);
  const thrown = assertThrows(() => rethrowFault());
  assertStrictEquals(thrown, error);
  assertEquals(hasFault(), false);
  rethrowFault(); // nothing left
  thunk.free();
});

Deno.test("a callback that throws surfaces also when a second callback follows", NEEDS_FIXTURE, () => {
  const memory = arena(), mark = memory.mark();
  const ofFirst = memory.alloc(4);
  const first = createThunk("s:q", () => {
    throw new Error("first");
  });
  const second = createThunk("s:q", () => 0);
  const result = invokeAddress(fixture("call_twice"), "s:qqo", [first.address, second.address, ofFirst]);
  assertEquals([memory.view.getInt32(ofFirst, true), result], [-3, 0]);
  assertThrows(() => rethrowFault(), Error, "first");
  memory.release(mark);
  first.free();
  second.free();
});

Deno.test("takeFaults() gives every error thrown since, the first one first", NEEDS_FIXTURE, () => {
  const thunk = createThunk("s:q", (index: bigint) => {
    throw index;
  });
  invokeAddress(fixture("call_many"), "v:qq", [thunk.address, 3n]);
  assertEquals(takeFaults(), [0n, 1n, 2n]);
  invokeAddress(fixture("call_many"), "v:qq", [thunk.address, 3n]);
  assertEquals(takeFault(), 0n);
  assertEquals(takeFault(), undefined);
  thunk.free();
});

Deno.test("a callback that returns nothing, a Promise or the wrong type counts as thrown", NEEDS_FIXTURE, () => {
  for (const [wrong, found] of [[undefined, "undefined"], [Promise.resolve(0), "a Promise"], [5n, "bigint"]] as const) {
    const thunk = createThunk("s:q", () => wrong);
    assertEquals(invokeAddress(fixture("call_result"), "s:qq", [thunk.address, 1n]), -3);
    assertThrows(() => rethrowFault(), TypeError, `Cannot return ${found} from a callback of signature "s:q"`);
    thunk.free();
  }
});

Deno.test("failure is what native code gets when the handler throws", NEEDS_FIXTURE, () => {
  const fail = () => {
    throw new Error("no");
  };
  const results: [string, string, string, number | bigint | undefined, number | bigint][] = [
    [TEN, "call10", "q:q", undefined, 0n],
    [TEN, "call10", "q:q", 0xffff_ffff_0000_0001n, 0xffff_ffff_0000_0001n],
    ["d:qfdwfdfdfd", "call_floats", "d:q", -1.5, -1.5],
    ["s:wsqqqqws", "call_narrow", "s:q", -7, -7],
  ];
  for (const [signature, caller, callerSignature, failure, expected] of results) {
    const thunk = createThunk(signature, fail, { failure });
    assertEquals(invokeAddress(fixture(caller), callerSignature, [thunk.address]), expected);
    takeFaults();
    thunk.free();
  }
});

Deno.test("createThunk() throws when the signature or the failure is wrong", () => {
  assertThrows(() => createThunk("s:o", () => 0), TypeError, 'write "q"');
  assertThrows(() => createThunk("s:q", () => 0, { failure: 0n }), TypeError, "give a number");
  assertThrows(() => createThunk("q:q", () => 0n, { failure: 0 }), TypeError, "give a bigint");
});

Deno.test("callbacks nest: the outer one keeps its arguments and its result", NEEDS_FIXTURE, () => {
  const log: bigint[] = [];
  let depth = 0;
  const thunk = createThunk("s:q", (argument: bigint) => {
    log.push(argument);
    if (++depth > 10) throw new Error("deepest");
    const inner = invokeAddress(fixture("call_result"), "s:qq", [thunk.address, argument + 1n]) as number;
    log.push(argument);
    return inner === -3 ? Number(argument) : inner + 100;
  });
  assertEquals(invokeAddress(fixture("call_result"), "s:qq", [thunk.address, 0n]), 909);
  assertEquals(log, [0n, 1n, 2n, 3n, 4n, 5n, 6n, 7n, 8n, 9n, 10n, 9n, 8n, 7n, 6n, 5n, 4n, 3n, 2n, 1n, 0n]);
  assertThrows(() => rethrowFault(), Error, "deepest");
  thunk.free();
});

Deno.test("callbacks stay right when optimised, deeply nested and collected amid", NEEDS_FIXTURE, () => {
  const next = bindByAddress("s:q"), target = fixture("succeed");
  let sum = 0;
  const thunk = createThunk("s:q", (argument: bigint) => {
    const result = next(argument, target);
    sum += result;
    if ((result & 0xfff) === 0) new Array(10000).fill(result).map((value) => ({ value }));
    return result;
  });
  invokeAddress(fixture("call_many"), "v:qq", [thunk.address, 100_000n]);
  assertEquals(sum, 4999950000);
  thunk.free();
});

Deno.test("a runaway recursion through callbacks surfaces as a RangeError", NEEDS_FIXTURE, () => {
  const thunk = createThunk("s:q", (argument: bigint): number => {
    return invokeAddress(fixture("call_result"), "s:qq", [thunk.address, argument + 1n]) as number;
  });
  assertEquals(invokeAddress(fixture("call_result"), "s:qq", [thunk.address, 0n]), -3);
  assert(takeFault() instanceof RangeError);
  thunk.free();
});

Deno.test("a hook on a foreign thread cannot deadlock: it is skipped, all arguments in place", NEEDS_FIXTURE, () => {
  let calls = 0;
  const thunk = createThunk(TEN, () => BigInt(++calls), { next: fixture("see10") });
  // The C side joins the thread that calls the thunk, while this one waits in the join.
  assertEquals(invokeAddress(fixture("call10_on_thread"), "q:q", [thunk.address]), 4242n);
  const seen = Array.from({ length: 10 }, (_, index) => invokeAddress(fixture("seen10"), "q:w", [index]));
  assertEquals(seen, [1n, 2n, 3n, 4n, 5n, 6n, 7n, 8n, 9n, 10n]);
  assertEquals(calls, 0);
  assertEquals(invokeAddress(fixture("call10"), "q:q", [thunk.address]), 1n);
  thunk.free();
});

Deno.test("a hook on a foreign thread returns failure when there is no next", NEEDS_FIXTURE, () => {
  const thunk = createThunk("s:q", () => 0, { failure: -9 });
  assertEquals(invokeAddress(fixture("call_result_on_thread"), "s:qq", [thunk.address, 1n]), -9);
  assertEquals(takeFault(), undefined);
  thunk.free();
});

Deno.test("floats stay in place when a hook is skipped", NEEDS_FIXTURE, () => {
  const thunk = createThunk("d:qfdwfdfdfd", () => 0, { next: fixture("see_floats") });
  thunk.close();
  const sum = 11 + 2 * 1.5 + 3 * -3.25 + 4 * 44 + 5 * 2.5 + 6 * 6 + 7 * 7 + 8 * 8 + 9 * 9 + 10 * 10;
  assertEquals(invokeAddress(fixture("call_floats"), "d:q", [thunk.address]), sum);
  thunk.free();
});

Deno.test('createThunk() with "block" runs the handler for a foreign thread on this one', NEEDS_FIXTURE, async () => {
  const got: bigint[] = [];
  const thunk = createThunk("s:q", (argument: bigint) => {
    got.push(argument);
    if (argument === 2n) throw new Error("on the other's behalf");
    return 33;
  }, { onForeignThread: "block", failure: -8 });
  for (const [argument, expected] of [[1n, 33], [2n, -8]] as const) {
    invokeAddress(fixture("start_on_thread"), "v:qq", [thunk.address, argument]);
    await until("the native thread is done", () => invokeAddress(fixture("done"), "w:", []) !== 0);
    assertEquals(invokeAddress(fixture("loose_result"), "s:", []), expected);
  }
  assertEquals(got, [1n, 2n]);
  assertThrows(() => rethrowFault(), Error, "on the other's behalf");
  assertEquals(invokeAddress(fixture("call_result"), "s:qq", [thunk.address, 3n]), 33); // this thread is served at once
  thunk.free();
});

Deno.test("close() sends later calls to next, or back with failure; twice is harmless", NEEDS_FIXTURE, () => {
  const { call, handler } = counting();
  const lonely = createThunk("s:q", handler, { failure: -4 });
  const passing = createThunk("s:q", handler, { next: fixture("succeed") });
  assertEquals([call(lonely.address, 5n), call(passing.address, 5n)], [1, 2]);
  for (let times = 0; times < 2; times++) {
    lonely.close();
    passing[Symbol.dispose]();
    assertEquals([call(lonely.address, 5n), call(passing.address, 5n)], [-4, 5]);
  }
  lonely.free();
  lonely.free();
  passing.free();
});

Deno.test("close() inside the handler lets the call end in good order", NEEDS_FIXTURE, () => {
  const { call } = counting();
  const thunk = createThunk("s:q", () => {
    thunk.close();
    return 12;
  });
  assertEquals([call(thunk.address, 0n), call(thunk.address, 0n)], [12, -3]);
  thunk.free();
});

Deno.test("free() lets an address be given again, close() does not", NEEDS_FIXTURE, () => {
  const handler = () => 0;
  const closed = createThunk("s:q", handler);
  closed.close();
  const freed = createThunk("s:q", handler);
  assertNotEquals(freed.address, closed.address);
  freed.free();
  const again = createThunk("s:q", handler);
  assertEquals(again.address, freed.address);
  again.free();
  closed.free();
});

Deno.test("createThunk() makes several hundred at once, all apart", NEEDS_FIXTURE, () => {
  const { call } = counting();
  const thunks = Array.from({ length: 300 }, (_, index) => createThunk("s:q", () => index));
  assertEquals(new Set(thunks.map((thunk) => thunk.address)).size, 300);
  assertEquals(thunks.map((thunk) => call(thunk.address, 0n)), thunks.map((_, index) => index));
  for (const thunk of thunks) thunk.free();
});

function counting(): { call: NativeFunction; handler: NativeFunction } {
  let calls = 0;
  const call = (address: bigint, argument: bigint) =>
    invokeAddress(fixture("call_result"), "s:qq", [address, argument]);
  return { call, handler: () => ++calls };
}

Deno.test("createThunk() answers, fails and ends the same however often it was called", NEEDS_FIXTURE, () => {
  let isFailing = false;
  const thunk = createThunk("s:qws", (_long, word, small) => {
    if (isFailing) throw new RangeError("on purpose");
    return word + small;
  }, { failure: -7 });
  const call = () => invokeAddress(thunk.address, "s:qws", [1n, 5, -8]);
  for (let i = 0; i < 3000; i++) assertEquals(call(), -3);
  isFailing = true;
  assertEquals(call(), -7);
  assertEquals((takeFault() as Error).message, "on purpose");
  thunk.close();
  assertEquals([call(), takeFault()], [-7, undefined]);
  thunk.free();
});
