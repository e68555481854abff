import { assert, assertEquals, assertStrictEquals, assertThrows } from "@std/assert";
import { openBlocks } from "../../../ffi/block.ts";
import { NativeError } from "../../../ffi/error.ts";
import { invokeAddress, threadId } from "../../../ffi/machine.ts";
import { CallRing, type RingRecord } from "../../../ffi/thunk/ring.ts";
import { createThunk, type Thunk } from "../../../ffi/thunk/thunk.ts";
import { NEEDS_THREADS, threads } from "./ring_fixture.ts";

const PAIR = "q:qq";
/** One integer too many for the registers of either machine. */
const MIXED = "d:qfdwqqqqqsfqw";

function start(thunk: Thunk, threadCount: number, calls: number): void {
  invokeAddress(threads("ring_start"), "v:qwq", [thunk.address, threadCount, BigInt(calls)]);
}

const join = () => invokeAddress(threads("ring_join"), "q:", []) as bigint;
const stop = () => invokeAddress(threads("ring_stop"), "q:", []) as bigint;

function collect(ring: CallRing): RingRecord[] {
  const calls: RingRecord[] = [];
  ring.drain((call) => calls.push(call));
  return calls;
}

/** The second arguments of the calls of one thread. */
function indicesOf(calls: RingRecord[], thread: number): number[] {
  return calls.filter(({ args }) => args[0] === BigInt(thread)).map(({ args }) => Number(args[1]));
}

const upTo = (count: number) => Array.from({ length: count }, (_, index) => index);

Deno.test("CallRing.drain() gives the calls of many threads, each thread's in order, none lost", NEEDS_THREADS, () => {
  using ring = new CallRing({ records: 8 * 500 });
  const thunk = createThunk(PAIR, () => 0n, { onForeignThread: "record", ring });
  start(thunk, 8, 500);
  assertEquals(join(), 0n);
  const calls = collect(ring);
  assertEquals([calls.length, ring.lost], [4000, 0]);
  for (const thread of upTo(8)) assertEquals(indicesOf(calls, thread), upTo(500));
  for (const call of calls) assertStrictEquals(call.thunk, thunk);
  const names = new Map(calls.map(({ args, thread }) => [args[0], thread]));
  assertEquals([new Set(names.values()).size, [...names.values()].includes(threadId())], [8, false]);
  thunk.free();
});

Deno.test("CallRing.drain() keeps up with threads that go on calling, through many rounds", NEEDS_THREADS, () => {
  using ring = new CallRing({ records: 256 });
  const thunk = createThunk(PAIR, () => 0n, { onForeignThread: "record", ring, failure: 1n });
  const last = upTo(4).map(() => -1);
  let count = 0;
  const take = ({ args: [thread, index] }: RingRecord) => {
    assert(Number(index) > last[Number(thread)]);
    last[Number(thread)] = Number(index);
    count++;
  };
  start(thunk, 4, 1 << 30);
  while (count < 50 * 256) ring.drain(take);
  const called = stop();
  ring.drain(take);
  assertEquals(count + ring.lost, Number(called));
  thunk.free();
});

Deno.test("a call that finds the ring full is counted, and goes on all the same", NEEDS_THREADS, () => {
  using ring = new CallRing({ records: 16 });
  const next = threads("ring_sum");
  const thunk = createThunk(PAIR, () => 0n, { onForeignThread: "record", ring, next });
  start(thunk, 2, 50);
  assertEquals(join(), 50n * 1000n + 2n * 1225n);
  const calls = collect(ring);
  assertEquals([calls.length, ring.lost], [16, 84]);
  for (const thread of [0, 1]) assertEquals(indicesOf(calls, thread), upTo(indicesOf(calls, thread).length));
  start(thunk, 1, 16); // drained, it has room again
  join();
  assertEquals([collect(ring).length, ring.lost], [16, 84]);
  thunk.free();
});

Deno.test("a record holds integers, floats and what was on the stack; next gets them all, too", NEEDS_THREADS, () => {
  using ring = new CallRing();
  const thunk = createThunk(MIXED, () => 0, { onForeignThread: "record", ring, next: threads("see_mixed") });
  const sum = invokeAddress(threads("mixed_on_thread"), "d:q", [thunk.address]);
  const args = [1n, 2.5, -3.25, 4, 5n, 6n, 7n, 8n, 9n, -10, 11.5, 0xfedc_ba98_7654_3210n, 0xffff_fff3];
  const [call, ...others] = collect(ring);
  assertEquals([call.args, others], [args, []]);
  assertEquals([call.thread, call.extra], [invokeAddress(threads("mixed_thread"), "q:", []), undefined]);
  assertEquals(sum, 1 + 2.5 - 3.25 + 4 + 5 + 6 + 7 + 8 + 9 - 10 + 11.5 + 2);
  thunk.free();
});

Deno.test("without next a recorded call returns the failure; on this thread the handler answers", NEEDS_THREADS, () => {
  using ring = new CallRing();
  const thunk = createThunk(PAIR, (a: bigint, b: bigint) => a + b, { onForeignThread: "record", ring, failure: 5n });
  start(thunk, 1, 3);
  assertEquals([join(), invokeAddress(thunk.address, PAIR, [1n, 2n])], [15n, 3n]);
  assertEquals(collect(ring).map(({ args }) => args), [[0n, 0n], [0n, 1n], [0n, 2n]]);
  thunk.free();
});

Deno.test("several thunks record in one ring, and a record outlives its thunk", NEEDS_THREADS, () => {
  using ring = new CallRing();
  const first = createThunk(PAIR, () => 0n, { onForeignThread: "record", ring });
  start(first, 1, 1);
  join();
  first.free();
  const second = createThunk("q:ws", () => 0n, { onForeignThread: "record", ring });
  assertEquals(second.address, first.address);
  start(second, 1, 2);
  join();
  const seen = collect(ring).map(({ thunk, args }) => [thunk === first, thunk === second, ...args]);
  assertEquals(seen, [[true, false, 0n, 0n], [false, true, 0, 0], [false, true, 0, 1]]);
  second.free();
});

Deno.test("CallRing.drain() goes on with the next record after a handler that throws", NEEDS_THREADS, () => {
  using ring = new CallRing();
  const thunk = createThunk(PAIR, () => 0n, { onForeignThread: "record", ring });
  start(thunk, 1, 3);
  join();
  const fail = () => {
    throw new RangeError("no");
  };
  assertThrows(() => ring.drain(fail), RangeError, "no");
  assertEquals(collect(ring).map(({ args }) => args[1]), [1n, 2n]);
  thunk.free();
});

Deno.test("CallRing.drain() may be called, and the ring closed, by its handler", NEEDS_THREADS, () => {
  const ring = new CallRing();
  const thunk = createThunk(PAIR, () => 0n, { onForeignThread: "record", ring });
  start(thunk, 1, 5);
  join();
  const seen: unknown[] = [];
  ring.drain(({ args }) => {
    seen.push(args[1]);
    if (seen.length === 1) ring.drain((inner) => (seen.push(inner.args[1]), inner.args[1] === 3n && ring.close()));
  });
  assertEquals(seen, [0n, 1n, 2n, 3n]);
  thunk.free();
});

Deno.test("a thunk whose ring or who itself is closed goes on as without recording", NEEDS_THREADS, () => {
  using other = new CallRing();
  const ring = new CallRing();
  const next = threads("ring_sum");
  const thunk = createThunk(PAIR, () => 0n, { onForeignThread: "record", ring, next });
  const closed = createThunk(PAIR, () => 0n, { onForeignThread: "record", ring: other, next });
  ring.close();
  closed.close();
  for (const each of [thunk, closed]) {
    start(each, 1, 4);
    assertEquals(join(), 6n);
    each.free();
  }
  assertEquals([collect(other).length, other.lost], [0, 0]);
});

Deno.test("CallRing.close() amid calls leaks nothing and leaves the callers well", NEEDS_THREADS, () => {
  new CallRing().close();
  const before = openBlocks();
  for (let round = 0; round < 30; round++) {
    const ring = new CallRing({ records: 64 });
    const thunk = createThunk(PAIR, () => 0n, { onForeignThread: "record", ring, next: threads("ring_sum") });
    start(thunk, 4, 1 << 30);
    while (ring.lost === 0);
    ring.close();
    ring.close();
    stop();
    assert(ring.lost > 0);
    thunk.free();
  }
  new CallRing().close(); // takes what a caller still held
  assertEquals(openBlocks(), before);
});

Deno.test("Ring throws for wrong sizes, missing or closed rings and calls too long for it", NEEDS_THREADS, () => {
  for (const records of [0, 1.5, -1, NaN, (1 << 20) + 1]) {
    assertThrows(() => new CallRing({ records }), RangeError, "records");
  }
  assertThrows(() => new CallRing({ extra: { size: 0, copy: 1n } }), RangeError, "extra.size");
  const ring = new CallRing({ records: 1 });
  const record = (signature: string, given?: CallRing) =>
    createThunk(signature, () => 0, { onForeignThread: "record", ring: given });
  assertThrows(() => record("s:q"), TypeError, '"ring" is missing');
  assertThrows(() => record("s:" + "q".repeat(22), ring), TypeError, "arguments are on the stack");
  ring.close();
  assertThrows(() => record("s:q", ring), NativeError, "it is closed");
  assertThrows(() => ring.drain(() => {}), NativeError, "it is closed");
});
