import { assertEquals } from "@std/assert";
import { workgroupOf } from "../../../loader/twin/workgroup.ts";

/** An instruction. */
function op(number: number, ...words: number[]): number[] {
  return [(words.length + 1) << 16 | number, ...words];
}

/** The text "main" as words. */
const MAIN = [0x6e69616d, 0];
const HEAD = [0x07230203, 0x10000, 0, 99, 0], ENTRY = op(15, 5, 4, ...MAIN);

Deno.test("workgroupOf() reads literal sizes, sizes by ids, and the built-in with specialized constants", () => {
  const literal = Uint32Array.from([...HEAD, ...ENTRY, ...op(16, 4, 17, 8, 4, 2)]);
  assertEquals(workgroupOf(literal, "main", new Map()), [8, 4, 2]);
  assertEquals(workgroupOf(literal, "other", new Map()), undefined);
  const constants = [...op(43, 1, 10, 16), ...op(50, 1, 11, 4), ...op(43, 1, 12, 1)], spec = op(71, 11, 1, 7);
  const byId = Uint32Array.from([...HEAD, ...ENTRY, ...op(331, 4, 38, 10, 11, 12), ...spec, ...constants]);
  assertEquals(workgroupOf(byId, "main", new Map()), [16, 4, 1]);
  assertEquals(workgroupOf(byId, "main", new Map([[7, 32]])), [16, 32, 1]);
  const builtIn = [...op(71, 20, 11, 25), ...spec, ...constants, ...op(51, 2, 20, 11, 10, 12)];
  const composite = Uint32Array.from([...HEAD, ...ENTRY, ...op(16, 4, 17, 1, 1, 1), ...builtIn]);
  assertEquals(workgroupOf(composite, "main", new Map([[7, 3]])), [3, 16, 1]);
  assertEquals(workgroupOf(composite.subarray(0, 7), "main", new Map()), undefined);
});
