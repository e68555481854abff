import { assertEquals } from "@std/assert";
import { undefinedIn } from "../../../../workbench/recordings/reduce/shaders.ts";

const HEADER = [0x07230203, 0x10000, 0, 100, 0];
const PRIVATE = 6, FUNCTION = 7, OUTPUT = 3, INPUT = 1;

/** Words of a module with these instructions: the number, and the words behind. */
function moduleOf(...instructions: readonly number[][]): Uint8Array {
  const words = instructions.flatMap(([op, ...rest]) => [(rest.length + 1) << 16 | op, ...rest]);
  return new Uint8Array(new Uint32Array([...HEADER, ...words]).buffer);
}

const variable = (id: number, storage: number) => [59, 1, id, storage];
const load = (pointer: number) => [61, 1, 50, pointer];
const store = (pointer: number) => [62, pointer, 51];
const chain = (id: number, base: number) => [65, 1, id, base, 52];
const found = (...instructions: readonly number[][]) => [...undefinedIn(moduleOf(...instructions))];

Deno.test("undefinedIn() finds undefined values, and variables that are read and never written", () => {
  assertEquals(found([1, 1, 9]), ["undefined 9"]);
  assertEquals(found(variable(10, FUNCTION), load(10)), ["unwritten 10"]);
  assertEquals(found(variable(10, PRIVATE), chain(11, 10), chain(12, 11), load(12)), ["unwritten 10"]);
  assertEquals(found(variable(10, FUNCTION), chain(11, 10), store(11), load(10)), []);
  assertEquals(found(variable(10, FUNCTION)), []);
  assertEquals(found([59, 1, 10, FUNCTION, 53], load(10)), []);
  assertEquals(found(variable(10, INPUT), load(10)), []);
  assertEquals(found(variable(10, FUNCTION), [57, 1, 54, 55, 10], load(10)), []);
});

Deno.test("undefinedIn() finds outputs that are never written", () => {
  assertEquals(found(variable(10, OUTPUT)), ["unwritten 10"]);
  assertEquals(found(variable(10, OUTPUT), store(10)), []);
});
