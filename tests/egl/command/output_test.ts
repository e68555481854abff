import { assertEquals } from "@std/assert";
import fc from "fast-check";
import { arena } from "../../../ffi/arena.ts";
import { viewOf } from "../../../egl/command/memory.ts";
import { readText, readValues, roomFor, unknownRoom, writtenIn } from "../../../egl/command/output.ts";
import { sizeOf } from "../../../egl/command/spec.ts";

Deno.test("writtenIn() counts written elements of every type", () => {
  const values = fc.array(fc.integer({ min: 0, max: 100 }), { maxLength: 40 });
  fc.assert(fc.property(fc.constantFrom("i", "u", "f", "l", "L", "b", "h"), values, (code, values) => {
    const written = code === "b" ? values.map((value) => value % 2) : values; // GL has no other booleans
    const mark = arena().mark(), at = unknownRoom(code), view = viewOf(code) as Int32Array;
    written.forEach((value, index) =>
      view[at / sizeOf(code) + index] = ("lL".includes(code) ? BigInt(value) : value) as number
    );
    const count = writtenIn(at, code), read = readValues(code, at, count);
    arena().release(mark);
    assertEquals(read.map(Number), code === "b" ? written.map((value) => Number(value !== 0)) : written);
  }));
});

Deno.test("readText() stops at the NUL and at the size", () => {
  const mark = arena().mark(), at = roomFor(16, "c");
  arena().bytes.set(new TextEncoder().encode("größe"), at);
  assertEquals([readText(at, 16), readText(at, 2)], ["größe", "gr"]);
  arena().release(mark);
});
