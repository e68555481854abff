import { assert, assertEquals } from "@std/assert";
import { filesOf, MACHINES } from "../../tools/arm64/machines.ts";

Deno.test("every test that AArch64 runs by name exists", () => {
  const names = MACHINES.flatMap((machine) => machine.names);
  assertEquals(names.filter((name) => !exists(name)), []);
});

Deno.test("AArch64 runs all of ffi, and above it no file that starts a Deno of its own", () => {
  const files = filesOf(MACHINES[0]);
  for (const name of ["ffi/thread_end", "ffi/stubs", "loader/chain/link/links"]) {
    assert(files.includes(`tests/${name}_test.ts`), name);
  }
  assertEquals(files.filter((file) => /^tests\/loader\/api\/(closing|permissions)_test/.test(file)), []);
});

function exists(name: string): boolean {
  try {
    return Deno.statSync(new URL(`../../${name}`, import.meta.url)) !== null;
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return false;
    throw error;
  }
}
