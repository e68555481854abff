import { assertEquals } from "@std/assert";
import { Hashes } from "../../../../../workbench/recordings/compare/driver_process/hashes.ts";

Deno.test("contents have the same SHA-256 whether few or many are hashed", async () => {
  const hashes = new Hashes();
  for (const size of [0, 1, 63, 64, 1 << 16, 1 << 16, 1 << 17, 5]) {
    const bytes = Uint8Array.from({ length: size }, (_, at) => at * 7 + size);
    assertEquals(hashes.of(bytes), new Uint8Array(await crypto.subtle.digest("SHA-256", bytes)).toHex(), `${size}`);
  }
});
