import { assertEquals, assertThrows } from "@std/assert";
import { INVOKE } from "../../../../ffi/emit/layout.ts";
import { NOTE, NOTED } from "../../../../workbench/layer_server/layout.ts";
import { LateCall } from "../../../../workbench/layer_server/server/late_call.ts";
import type { Note } from "../../../../workbench/layer_server/server/notes.ts";
import type { Transport } from "../../../../workbench/layer_server/server/transport.ts";

/** A call of a program that is over after so many looks, with a result. */
function callOf(looks: number, result: bigint): LateCall {
  const view = new DataView(new ArrayBuffer(NOTE.result + 8));
  view.setBigUint64(NOTE.result, result, true);
  const block = new DataView(new ArrayBuffer(INVOKE.result + 8));
  block.setBigUint64(INVOKE.integers, 0x55n, true);
  const note: Partial<Note> = { command: 3, thread: 7, late: 0, block, view };
  const channel: Partial<Transport> = { state: () => looks-- > 0 ? NOTED.begun : NOTED.written };
  return new LateCall(channel as Transport, note as Note, 11);
}

Deno.test("a late call waits until it is over, and is as old as the wait for its result", () => {
  const { now } = performance;
  let time = 1000;
  performance.now = () => time;
  try {
    const call = callOf(2, 42n), ages: number[] = [];
    assertEquals([call.process, call.thread, call.command, call.handle], [11, 7, 3, 0x55n]);
    time += 500; // the hooks run
    assertEquals(call.age, 500);
    const wait = () => {
      ages.push(call.age);
      time += 20;
    };
    assertEquals(call.request(call.next, "w:q", [], wait), 42);
    assertEquals(ages, [0, 20]);
    assertThrows(() => call.request(2n, "w:q", [], wait), TypeError, "a call that is over");
  } finally {
    performance.now = now;
  }
});
