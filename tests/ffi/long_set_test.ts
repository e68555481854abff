import { assertEquals } from "@std/assert";
import fc from "fast-check";
import { LongList, LongSet } from "../../ffi/long.ts";

const long = fc.bigInt({ min: 1n, max: 2n ** 64n - 1n });
/** Values that meet in one set again and again: addresses beside each other, and some that are far away. */
const value = fc.oneof(fc.nat({ max: 200 }).map((index) => 0x7f00_0000_1000n + BigInt(16 * index)), long);

Deno.test("LongSet holds what a Set of bigints holds, whatever is added and deleted", () => {
  const step = fc.record({ what: fc.constantFrom("add", "add", "delete", "clear"), value });
  fc.assert(fc.property(fc.array(step, { maxLength: 400 }), (steps) => {
    const own = new LongSet(), model = new Set<bigint>();
    for (const { what, value } of steps) {
      if (what === "clear" && value % 16n !== 0n) continue;
      own[what as "add"](value);
      model[what as "add"](value);
    }
    assertEquals(own.size, model.size);
    for (const { value } of steps) assertEquals(own.has(value), model.has(value));
  }));
});

Deno.test("LongSet finds all of many values, and none when they are gone", () => {
  const own = new LongSet(), values = Array.from({ length: 100_000 }, (_, index) => BigInt(index + 1) << 12n);
  for (const each of values) own.add(each);
  assertEquals([own.size, values.every((each) => own.has(each)), own.has(1n)], [100_000, true, false]);
  for (const each of values) own.delete(each);
  assertEquals([own.size, values.some((each) => own.has(each))], [0, false]);
});

Deno.test("LongSet tells values apart that share one half, and holds no 0", () => {
  const own = new LongSet(), values = [1n, 1n << 32n, (1n << 32n) + 1n, 2n ** 64n - 1n];
  for (const each of values) {
    own.add(each);
    own.add(each);
  }
  own.add(0n);
  own.delete(0n);
  assertEquals([own.size, own.has(0n), own.has(2n ** 32n + 2n)], [4, false, false]);
});

Deno.test("LongSet keeps a value that was added again until it is deleted as often", () => {
  const step = fc.record({ what: fc.constantFrom("add", "again", "delete", "clear"), value });
  fc.assert(fc.property(fc.array(step, { maxLength: 400 }), (steps) => {
    const own = new LongSet(), list = new LongList(), model = new Map<bigint, number>();
    for (const { what, value } of steps) {
      const count = model.get(value) ?? 0;
      list.set(0, value);
      if (what === "clear" && value % 16n === 0n) own.clear(), model.clear();
      else if (what === "delete") own.delete(value), model.set(value, Math.max(0, count - 1));
      else if (what === "add") own.add(value), model.set(value, Math.max(1, count));
      else if (what === "again") own.addAgainFrom(list, 0), model.set(value, count + 1);
    }
    assertEquals(own.size, [...model.values()].filter((count) => count > 0).length);
    for (const [value, count] of model) assertEquals(own.has(value), count > 0);
  }));
});
