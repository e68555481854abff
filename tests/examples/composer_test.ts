import { assert, assertEquals, assertMatch } from "@std/assert";
import { assertNear, picture, runExample } from "./example.ts";

Deno.test("examples/home_screen.ts says who composes each layer, and the picture does not depend on that", () => {
  const { code, stdout, output } = runExample("home_screen.ts");
  assertEquals(code, 0, output);
  assertMatch(stdout, /^four planes:\n {2}notification: the client composes it: .*\n/);
  assertMatch(stdout, /^ {2}wallpaper: overlay0 shows it$/m);
  assertEquals(stdout.split("\n").filter((line) => / shows it$/.test(line)).length, 3, output);
  assertMatch(stdout, /^the pictures are the same$/m);
  const { size, at } = picture("home_screen");
  assertEquals(size, [360, 640]);
  assertNear(at(48, 200), [240, 240, 240], 2);
  assertNear(at(16, 200), [255, 232, 208], 2);
  assertNear(at(180, 620), [255, 255, 255], 2);
  const [red, green, blue] = at(180, 90);
  assert(green > red + 30 && green > blue + 30, "the notification is green");
});

Deno.test("examples/vendor_composer.ts shows frames through hwcomposer2.h, and says nothing else", () => {
  const { code, stdout, output } = runExample("vendor_composer.ts");
  assertEquals([code, output], [0, stdout]);
  assertEquals(stdout.trim().split("\n"), [
    "required functions that are missing: none",
    'display "Panel 0": 320 × 240',
    "10 frames were shown",
  ]);
  const { size, at } = picture("vendor_composer");
  assertEquals(size, [320, 240]);
  assertNear(at(10, 120), [255, 128, 0], 2);
});
