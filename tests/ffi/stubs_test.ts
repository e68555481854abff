import { assertAlmostEquals, assertEquals, assertStrictEquals, assertThrows } from "@std/assert";
import { arena, inFrame } from "../../ffi/arena.ts";
import { bindByAddress, bindByTable } from "../../ffi/stubs.ts";
import { invokeAddress } from "../../ffi/machine.ts";
import { fixture, NEEDS_FIXTURE } from "./fixture.ts";

/** An object whose word 0 leads to a table with these entries; `vkCmd`-like commands are called through it. */
function objectWith(...entries: bigint[]): bigint {
  const memory = arena();
  const table = memory.alloc(8 * entries.length), object = memory.alloc(8);
  entries.forEach((entry, index) => memory.view.setBigUint64(table + 8 * index, entry, true));
  memory.view.setBigUint64(object, memory.address(table), true);
  return memory.address(object);
}

const many = Array.from({ length: 12 }, (_, index) => BigInt(index) * 0x1_0000_0001n + 3n);

function weighted(values: readonly bigint[]): bigint {
  return BigInt.asUintN(64, values.reduce((sum, value, index) => sum + value * BigInt(index + 1), 0n));
}

Deno.test("bindByAddress() passes every integer argument when there are none to twelve", NEEDS_FIXTURE, () => {
  assertEquals(bindByAddress("q:")(fixture("none")), 7n);
  assertEquals(bindByAddress("q:q")(41n, fixture("one")), 42n);
  assertEquals(bindByAddress("q:qq")(3n, 4n, fixture("two")), 11n);
  const mixed = bindByAddress("q:qwqwq")(1n, 0xffffffff, 3n, 0x80000000, 5n, fixture("five"));
  assertEquals(mixed, weighted([1n, 0xffffffffn, 3n, 0x80000000n, 5n]));
  assertEquals(bindByAddress("q:qqqqqqq")(...many.slice(0, 7), fixture("seven")), weighted(many.slice(0, 7)));
  assertEquals(bindByAddress("q:qqqqqqqq")(...many.slice(0, 8), fixture("eight")), weighted(many.slice(0, 8)));
  const ten = bindByAddress("q:qqqqqqqqwq")(...many.slice(0, 8), 0xffffffff, 10n, fixture("ten"));
  assertEquals(ten, weighted([...many.slice(0, 8), 0xffffffffn, 10n]));
  const twelve = bindByAddress("q:qqqqqqqqwqsq")(...many.slice(0, 8), 9, 10n, -11, 12n, fixture("twelve"));
  assertEquals(twelve, weighted([...many.slice(0, 8), 9n, 10n, -11n, 12n]));
});

Deno.test("bindByAddress() passes floats beside integers", NEEDS_FIXTURE, () => {
  assertEquals(bindByAddress("f:qfff")(1n, 0.5, 0.25, 2, fixture("floats")), 1 + 1 + 0.75 + 8);
  assertEquals(bindByAddress("d:qfwdqf")(1n, 0.5, 3, 2.25, 5n, -1.5, fixture("mixed")), 1 + 1 + 9 + 9 + 25 - 9);
});

Deno.test("bindByTable() jumps through the table of the first argument at any offset", NEEDS_FIXTURE, () => {
  inFrame(() => {
    const entries = Array.from({ length: 700 }, () => 0n);
    entries[0] = fixture("two");
    entries[600] = fixture("seven");
    entries[601] = fixture("twelve");
    const object = objectWith(...entries);
    assertEquals(bindByTable("q:qq")(object, 4n, 0), object + 8n);
    const seven = [object, ...many.slice(1, 7)];
    assertEquals(bindByTable("q:qqqqqqq")(...seven, 8 * 600), weighted(seven));
    const twelve = [object, ...many.slice(1, 8), 9n, 10n, -11n, 12n];
    const result = bindByTable("q:qqqqqqqqwqsq")(object, ...many.slice(1, 8), 9, 10n, -11, 12n, 8 * 601);
    assertEquals(result, weighted(twelve));
  });
});

Deno.test(
  "stubs turn arena offsets into addresses, in registers and on the stack, and keep NULL",
  NEEDS_FIXTURE,
  () => {
    const memory = arena(), mark = memory.mark();
    const offsets = Array.from({ length: 9 }, (_, index) => {
      const offset = memory.alloc(8);
      memory.view.setBigUint64(offset, BigInt(index + 5), true);
      return offset;
    });
    const expected = (present: (index: number) => boolean) =>
      offsets.reduce((sum, _, index) => sum + BigInt((present(index) ? index + 5 : 1000) * (index + 1)), 0n);
    const object = objectWith(fixture("pointers"), fixture("pointers_and_float"));
    for (const hole of [-1, 0, 3, 4, 5, 6, 7, 8]) {
      const given = offsets.map((offset, index) => index === hole ? 0 : offset);
      assertEquals(bindByAddress("q:qooooooooo")(object, ...given, fixture("pointers")), expected((i) => i !== hole));
      assertEquals(bindByTable("q:qooooooooo")(object, ...given, 0), expected((i) => i !== hole));
      assertEquals(invokeAddress(fixture("pointers"), "q:qooooooooo", [object, ...given]), expected((i) => i !== hole));
    }
    const [a, b, c, d, e, f] = offsets;
    const sum = 5n * 1n + 6n * 2n + 7n * 3n + 8n * 4n + 9n * 5n + 10n * 6n + 150n + 22500n;
    assertEquals(bindByTable("q:qofodoooo")(object, a, 1.5, b, 2.25, c, d, e, f, 8), sum);
    memory.release(mark);
  },
);

Deno.test("stubs ignore what a caller leaves in the upper half of 32-bit arguments", NEEDS_FIXTURE, () => {
  inFrame((memory) => {
    const cell = memory.alloc(8);
    memory.view.setBigUint64(cell, 77n, true);
    const pointer = bindByAddress("q:o");
    let wrong = 0;
    for (let index = 0; index < 20000; index++) { // long enough for the optimised path, which does leave things there
      if (pointer(cell, fixture_read) !== 77n || pointer(0, fixture_read) !== 0xdeadn) wrong++;
    }
    assertEquals(wrong, 0);
  });
});
const fixture_read = NEEDS_FIXTURE.ignore ? 0n : fixture("read_pointer");

Deno.test("bindByAddress() and bindByTable() give one function per signature", NEEDS_FIXTURE, () => {
  assertStrictEquals(bindByAddress("s:qw"), bindByAddress("s:qw"));
  assertStrictEquals(bindByTable("s:qw"), bindByTable("s:qw"));
});

Deno.test("bindByAddress() throws when the signature is none", () => {
  assertThrows(() => bindByAddress("s:x"), TypeError, 'Cannot use signature "s:x"');
  assertThrows(() => bindByAddress("qq"), TypeError);
  assertThrows(() => bindByAddress("o:q"), TypeError);
  assertThrows(() => bindByAddress("v:v"), TypeError);
  assertThrows(() => bindByAddress("v:fffffffff"), TypeError);
});

Deno.test("invokeAddress() calls any signature without binding one", NEEDS_FIXTURE, () => {
  assertEquals(invokeAddress(fixture("none"), "q:", []), 7n);
  assertEquals(invokeAddress(fixture("seven"), "q:qqqqqqq", many.slice(0, 7)), weighted(many.slice(0, 7)));
  const twelve = invokeAddress(fixture("twelve"), "q:qqqqqqqqwqsq", [...many.slice(0, 8), 9, 10n, -11, 12n]);
  assertEquals(twelve, weighted([...many.slice(0, 8), 9n, 10n, -11n, 12n]));
  assertEquals(invokeAddress(fixture("negative"), "s:s", [5]), -5);
  assertEquals(invokeAddress(fixture("nothing"), "v:qwwww", [1n, 2, 3, 4, 5]), undefined);
  assertEquals(invokeAddress(fixture("floats"), "f:qfff", [1n, 0.5, 0.25, 2]), 10.75);
  assertEquals(invokeAddress(fixture("mixed"), "d:qfwdqf", [1n, 0.5, 3, 2.25, 5n, -1.5]), 36);
  const doubles = [0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8];
  const sum = doubles.reduce((total, value, index) => total + value * (index + 1), 0);
  assertAlmostEquals(invokeAddress(fixture("eight_doubles"), "d:dddddddd", doubles) as number, sum);
});

Deno.test("invokeAddress() throws when the arguments don't fit the signature", () => {
  assertThrows(() => invokeAddress(1n, "s:qq", [1n]), TypeError, "found 1 arguments; give 2");
});
