import { assertEquals } from "@std/assert";
import { TableLines } from "../../../../loader/codec/layout/table_lines.ts";
import { COMMANDS } from "../../../../loader/gen/command_table_gen.js";
import { STRUCTS } from "../../../../loader/gen/structs_gen.js";

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
