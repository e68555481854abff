import { assertEquals } from "@std/assert";
import { DEFAULT, MACHINES } from "../../tools/arm64/machines.ts";

Deno.test("every test that AArch64 runs by name exists", () => {
  const names = [...DEFAULT, ...MACHINES.flatMap((machine) => machine.names)];
  assertEquals(names.filter((name) => !exists(name)), []);
});

function exists(name: string): boolean {
  try {
    return Deno.statSync(new URL(`../../${name}`, import.meta.url)) !== null;
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return false;
    throw error;
  }
}
