import { assertEquals, assertThrows } from "@std/assert";
import { arena } from "../../../ffi/arena.ts";
import { peek32, peek64 } from "../../../ffi/machine.ts";
import { readCString } from "../../../ffi/cstring.ts";
import {
  countOf,
  IN_PLACE,
  needArray,
  placeAttributes,
  placeData,
  placeNumbers,
  placeText,
  placeTexts,
  toBigInt,
} from "../../../egl/command/input.ts";

/** Gives the arena back at the end of a scope. */
function scope(): Disposable {
  const mark = arena().mark();
  return { [Symbol.dispose]: () => arena().release(mark) };
}

Deno.test("placeNumbers() converts to the elements of the code", () => {
  using _ = scope();
  const floats = placeNumbers([0.5, 2], "f", "v");
  assertEquals([peek32(floats), peek32(floats + 4n)], [0x3f000000, 0x40000000]);
  assertEquals(peek32(placeNumbers([-1], "i", "v")), 0xffffffff);
  assertEquals(peek64(placeNumbers([7], "z", "v")), 7n);
  assertEquals(peek32(placeNumbers(new Float64Array([3]), "i", "v")), 3);
  assertEquals(placeNumbers(null, "f", "v"), 0n);
});

Deno.test("placeNumbers() refuses a value that is not an array", () => {
  using _ = scope();
  assertThrows(() => placeNumbers(5 as never, "f", "value"), TypeError, 'Cannot use 5 as "value"');
});

Deno.test("countOf() counts units and refuses parts of one", () => {
  assertEquals(countOf(new Float32Array(32), 16, "f", "value"), 2);
  assertEquals(countOf(null, 4, "f", "value"), 0);
  assertThrows(
    () => countOf([1, 2, 3], 4, "f", "value"),
    TypeError,
    'Cannot use 3 values as "value": give a multiple of 4',
  );
});

Deno.test("placeData() copies small data and uses large data without a copy", () => {
  using _ = scope();
  const small = new Uint8Array([1, 2, 3, 4]), large = new Uint8Array(IN_PLACE).fill(9);
  const copied = placeData(small, "data");
  small.fill(0);
  assertEquals(peek32(copied), 0x04030201);
  const inPlace = placeData(large.subarray(4), "data");
  const there = placeData(large, "data");
  large[0] = 5;
  assertEquals([peek32(there) & 0xff, placeData(12, "data"), placeData(null, "data")], [5, 12n, 0n]);
  assertEquals(inPlace !== there, true);
});

Deno.test("placeData() refuses plain arrays, whose bytes nobody knows", () => {
  assertThrows(() => placeData([1, 2] as never, "data"), TypeError, 'Cannot use a Array as "data": give a typed array');
});

Deno.test("placeText() and placeTexts() end strings with NUL", () => {
  using _ = scope();
  assertEquals(readCString(placeText("grün", "name")), "grün");
  const list = placeTexts(["a", "bc"], "string");
  assertEquals([readCString(peek64(list)), readCString(peek64(list + 8n))], ["a", "bc"]);
  assertEquals(readCString(peek64(placeTexts("one", "string"))), "one");
  assertThrows(() => placeText(3 as never, "name"), TypeError, 'Cannot use 3 as "name": give a string');
});

Deno.test("placeAttributes() takes objects and arrays and adds EGL_NONE", () => {
  using _ = scope();
  const words = (at: bigint, count: number) =>
    Array.from({ length: count }, (_, index) => peek32(at + BigInt(4 * index)));
  assertEquals(words(placeAttributes({ [0x3057]: 16, [0x3056]: 8 }, "i", "list"), 5).at(-1), 0x3038);
  assertEquals(words(placeAttributes([0x3057, 16], "i", "list"), 3), [0x3057, 16, 0x3038]);
  const wide = placeAttributes([0x3057, 16], "z", "list");
  assertEquals([peek64(wide), peek64(wide + 8n), peek64(wide + 16n)], [0x3057n, 16n, 0x3038n]);
  assertEquals(placeAttributes(null, "i", "list"), 0n);
});

Deno.test("placeAttributes() refuses constants that are not imported", () => {
  const missing = undefined as unknown as number;
  assertThrows(() => placeAttributes({ [missing]: 8 }, "i", "list"), TypeError, "is a constant not imported?");
  assertThrows(() => placeAttributes([0x3057, missing], "i", "list"), TypeError, "is a constant not imported?");
});

Deno.test("placeAttributes() refuses a name without a value, behind which a driver would read on", () => {
  assertThrows(() => placeAttributes([0x3057], "i", "attrib_list"), TypeError, "an even number; found 1");
  assertThrows(() => placeAttributes([0x3057, 16, 0x3056], "z", "attrib_list"), TypeError, "found 3");
  placeAttributes([0x3057, 16, 0x3038], "i", "attrib_list");
});

Deno.test("needArray() refuses an array that is left out only if the command reads of it", () => {
  for (const none of [null, undefined]) {
    assertThrows(() => needArray(none, 2, "v"), TypeError, 'as "v": give an array of at least 2 numbers');
    needArray(none, 0, "v");
  }
});

Deno.test("toBigInt() converts null to 0n, and refuses undefined", () => {
  assertEquals(toBigInt(null, "ctx"), 0n);
  assertThrows(() => toBigInt(undefined, "ctx"), TypeError, 'Cannot use undefined as "ctx"');
});
