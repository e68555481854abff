import { assertEquals, assertNotEquals } from "@std/assert";
import { libc, libcAddress } from "../../ffi/libc.ts";

Deno.test("libc() calls the C library and leaves no resource open", () => {
  const address = libc().mmap(0n, 4096n, 3, 0x22, -1, 0n);
  assertEquals(libc().strlen(address), 0n);
  assertEquals(libc().munmap(address, 4096n), 0);
});

Deno.test("libcAddress() finds functions, and answers 0n for others", () => {
  assertNotEquals(libcAddress("memcpy"), 0n);
  assertEquals(libcAddress("no_such_function_anywhere"), 0n);
});
