import "../support/warm.ts";
import { assertEquals, assertThrows } from "@std/assert";
import { arena } from "../../ffi/arena.ts";
import { peek32, peek64 } from "../../ffi/machine.ts";

Deno.test("arena() is one per isolate and lies within 4 GiB", () => {
  const memory = arena();
  assertEquals(arena() === memory, true);
  assertEquals((memory.base + BigInt(memory.size) - 1n) >> 32n, memory.base >> 32n);
  assertEquals((BigInt(memory.high) << 32n) + BigInt(memory.low), memory.base);
});

Deno.test("Arena.alloc() gives aligned offsets that never are NULL, and release() takes them back", () => {
  const memory = arena(), mark = memory.mark();
  const first = memory.alloc(1), second = memory.alloc(17), third = memory.alloc(0);
  assertEquals([first > 0, first % 16, second - first, third - second], [true, 0, 16, 32]);
  memory.release(mark);
  assertEquals(memory.alloc(1), first);
  memory.release(mark);
});

Deno.test("Arena.view is what native code sees", () => {
  const memory = arena(), mark = memory.mark();
  const offset = memory.alloc(8);
  memory.view.setUint32(offset, 0xdeadbeef, true);
  assertEquals(peek32(memory.address(offset)), 0xdeadbeef);
  assertEquals(memory.address(0), 0n);
  memory.release(mark);
});

Deno.test("Arena.alloc() throws when the arena is full", () => {
  const memory = arena(), mark = memory.mark();
  assertThrows(() => memory.alloc(memory.size), RangeError, "Arena is full");
  assertThrows(() => memory.alloc(-1), RangeError);
  assertEquals(memory.mark(), mark);
});

Deno.test("Arena.place() copies bytes, large ones to a mapping of their own", () => {
  const memory = arena(), mark = memory.mark();
  const small = memory.place(new Uint8Array([1, 2, 3, 4, 5, 6, 7, 8]));
  assertEquals(peek64(small), 0x0807_0605_0403_0201n);
  const large = memory.place(new Uint8Array(memory.size).fill(9));
  assertEquals(peek64(large + BigInt(memory.size) - 8n), 0x0909_0909_0909_0909n);
  assertEquals(large < memory.base || large >= memory.base + BigInt(memory.size), true);
  memory.release(mark);
});
