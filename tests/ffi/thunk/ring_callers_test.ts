import { assert, assertEquals, assertThrows } from "@std/assert";
import { monotonicNow } from "../../../ffi/file/file_descriptor.ts";
import { libcAddress } from "../../../ffi/libc.ts";
import { invokeAddress } from "../../../ffi/machine.ts";
import { CallRing, type RingRecord } from "../../../ffi/thunk/ring.ts";
import { createThunk } from "../../../ffi/thunk/thunk.ts";
import { NEEDS_THREADS, threads } from "./ring_fixture.ts";

/** Integers and floats in registers and on the stack. */
const MIXED = "d:qfdwqqqqqsfqw";

/** Calls a thunk on a thread of its own; returns the record, and when the call was made and had returned. */
function callElsewhere(callers: boolean): { record: RingRecord; sum: number; span: [number, number] } {
  using ring = new CallRing({ callers });
  const thunk = createThunk(MIXED, () => 0, { onForeignThread: "record", ring, next: threads("see_mixed") });
  const begun = Number(monotonicNow()), sum = invokeAddress(threads("mixed_on_thread"), "d:q", [thunk.address]);
  const records: RingRecord[] = [], span: [number, number] = [begun, Number(monotonicNow())];
  ring.drain((record) => records.push(record));
  thunk.free();
  return { record: records[0], sum: sum as number, span };
}

Deno.test(
  "a ring with callers knows when and by which thread a call was made, and next gets all arguments",
  NEEDS_THREADS,
  () => {
    const { record: { caller, args, extra }, sum, span: [begun, ended] } = callElsewhere(true);
    assert(caller!.time >= begun && caller!.time <= ended, `${caller!.time} of ${begun} to ${ended}`);
    const own = invokeAddress(libcAddress("gettid"), "s:", []);
    assert(caller!.tid > 0 && caller!.tid !== own, `${caller!.tid}`);
    const plain = callElsewhere(false);
    assertEquals([args, sum, extra], [plain.record.args, plain.sum, undefined]);
    assertEquals(plain.record.caller, undefined);
  },
);

Deno.test("a ring has callers or extra, which have one place", () => {
  assertThrows(() => new CallRing({ callers: true, extra: { size: 8, copy: 1n } }), TypeError, "one of them");
});
