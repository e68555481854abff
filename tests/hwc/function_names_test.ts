import { assert, assertEquals } from "@std/assert";
import { missingFunctions } from "../../hwc/mod.ts";

Deno.test("missingFunctions() names nothing for a device that has every function", () => {
  assertEquals(missingFunctions(() => true), []);
});

Deno.test("missingFunctions() names every function a device lacks", () => {
  const asked: number[] = [];
  const missing = missingFunctions((descriptor) => {
    asked.push(descriptor);
    return false;
  });
  assertEquals(asked.length, missing.length);
  assertEquals(asked, asked.toSorted((a, b) => a - b));
  assert(missing.includes("VALIDATE_DISPLAY") && missing.includes("PRESENT_DISPLAY"));
});

Deno.test("missingFunctions() does not ask for sideband streams and what came after HWC 2.0", () => {
  const asked = new Set<number>();
  missingFunctions((descriptor) => asked.add(descriptor) !== undefined);
  for (const optional of [0, 34, 44]) assert(!asked.has(optional), String(optional));
});
