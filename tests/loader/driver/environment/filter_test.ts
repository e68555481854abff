import { assertEquals } from "@std/assert";
import { parseFilter } from "../../../../loader/driver/environment/variables.ts";

Deno.test("parseFilter() makes nothing of an empty list", () => {
  assertEquals([parseFilter(""), parseFilter(",,")], [undefined, undefined]);
});

Deno.test("parseFilter() takes a star at either end, and no other for more than itself", () => {
  const matches = (list: string, name: string) => parseFilter(list)!(name);
  assertEquals([matches("a*", "abc"), matches("a*", "bca"), matches("*c", "abc"), matches("*b*", "abc")], [
    true,
    false,
    true,
    true,
  ]);
  assertEquals([matches("a*c", "abc"), matches("a*c", "a*c"), matches("ABC", "abc")], [false, true, true]);
});

Deno.test("parseFilter() takes 16 patterns of 255 bytes", () => {
  const names = Array.from({ length: 20 }, (_, index) => `driver_${index}`), matches = parseFilter(names.join())!;
  assertEquals(names.map(matches), names.map((_, index) => index < 16));
  assertEquals(parseFilter("x".repeat(300))!("x".repeat(255)), true);
});
