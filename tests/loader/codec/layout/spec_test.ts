import { assertEquals, assertThrows } from "@std/assert";
import { parseSpec, TableLines } from "../../../../loader/codec/layout/spec.ts";
import { COMMANDS } from "../../../../loader/gen/command_table_gen.js";
import { STRUCTS } from "../../../../loader/gen/structs_gen.js";

Deno.test("parseSpec() takes every part of an entry apart", () => {
  assertEquals(parseSpec("data:**VkThing{3}{4}[count,1]/8@kind=1|-2+!?#"), {
    name: "data",
    stars: 2,
    type: "VkThing",
    dims: [3, 4],
    len: "count,1",
    bits: 8,
    selector: "kind",
    selection: [1, -2],
    required: true,
    written: true,
    optional: true,
    full: true,
  });
});

Deno.test("parseSpec() leaves what is absent empty", () => {
  const { stars, dims, len, bits, selector, selection, required, written, optional } = parseSpec("size:u64");
  assertEquals([stars, dims, len, bits, selector, selection], [0, [], "", 0, "", []]);
  assertEquals([required, written, optional], [false, false, false]);
});

Deno.test("parseSpec() throws a TypeError that names the entry when it is malformed", () => {
  assertThrows(() => parseSpec("size u64"), TypeError, 'Cannot parse the table entry "size u64"');
});

Deno.test("parseSpec() reads every entry of the generated tables", () => {
  const structs = STRUCTS.trim().split("\n").flatMap((line) => line.split(" ").slice(2));
  const commands = COMMANDS.trim().split("\n").flatMap((line) => line.split(" ").slice(4));
  for (const text of [...structs, ...commands]) assertEquals(text.startsWith(parseSpec(text).name), true, text);
});

Deno.test("the lines of a table are the same by a search and by the index", () => {
  for (const text of [COMMANDS, STRUCTS]) {
    const lines = text.trim().split("\n"), indexed = new TableLines(text);
    for (const line of lines) assertEquals(indexed.find(line.split(" ")[0]), line);
    for (const line of [lines[0], lines.at(-1)!]) assertEquals(new TableLines(text).find(line.split(" ")[0]), line);
  }
});

Deno.test("a name that no line of a table begins with has none, however often one asks", () => {
  const table = new TableLines("\none 1 two\nsecond 2\nempty\n");
  for (let turn = 0; turn < 40; turn++) {
    assertEquals(["two", "1", "", "secon", "empty"].map((name) => table.find(name)), Array(5).fill(undefined));
    assertEquals(table.find("second"), "second 2");
  }
});
