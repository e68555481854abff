import { assertEquals } from "@std/assert";
import { layoutOf } from "../../../loader/codec/layout/layout.ts";

Deno.test("layoutOf() computes for every struct what the generator computed on its own", () => {
  const text = Deno.readTextFileSync(new URL("layouts_gen.txt", import.meta.url));
  const stated = text.trimEnd().split("\n").slice(1);
  assertEquals(stated.map((line) => layoutLine(line.split(" ", 1)[0])), stated);
});

function layoutLine(name: string): string {
  const { size, align, fields } = layoutOf(name);
  const places = fields.map(({ bits, bit, offset }) => bits > 0 ? `b${offset * 8 + bit}` : offset);
  return [name, size, align, ...places].join(" ");
}
