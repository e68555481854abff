import { assert, assertEquals } from "@std/assert";
import { mappings } from "../../support/open_files.ts";
import { libc } from "../../../ffi/libc.ts";
import { allocateGuarded } from "../../../wsi/buffer/gralloc.ts";
import { guardGaps } from "../../../wsi/buffer/guards.ts";
import { registerLayout } from "../../../wsi/buffer/layout.ts";
import type { MemoryKind } from "../../../wsi/buffer/memory.ts";
import { USAGE } from "../../../wsi/buffer/usage.ts";
import { leavesNothing } from "../leaves_nothing.ts";

const REQUEST = { width: 1024, height: 37, format: 1, usage: USAGE.CPU_WRITE_OFTEN | USAGE.GPU_RENDER_TARGET };

Deno.test("allocateGuarded() has a page behind the last row that nobody may touch, in memory of every kind", () => {
  const kinds: (MemoryKind | undefined)[] = [undefined, "anonymous"];
  leavesNothing(() => {
    for (const memory of kinds) {
      const rule = registerLayout(({ height }) => ({ rowPitch: 8192, size: 8192 * height, memory }));
      using buffer = allocateGuarded({ ...REQUEST, usage: REQUEST.usage | rule.usage })!;
      rule.forget();
      const { address, size } = buffer.memory, end = address + BigInt(size);
      assertEquals(size, 8192 * REQUEST.height, "no room behind the last row");
      assertEquals(mappings(`${end.toString(16)}-`, " ---p "), 1, `a guard behind memory that is ${memory}`);
      buffer.lock().fill(1);
      buffer.unlock();
    }
  });
});

Deno.test("allocateGuarded() refuses rows that do not end with a page", () => {
  assertEquals(allocateGuarded({ ...REQUEST, width: 1000 }), undefined);
  using whole = allocateGuarded(REQUEST);
  assert(whole);
});

Deno.test("guardGaps() lets a page that nobody may touch follow the next mapping, wherever the mapping comes to lie", () => {
  const size = 37 * 4096, READ_WRITE = 3, PRIVATE_ANONYMOUS = 0x22;
  using kept = new DisposableStack();
  for (let time = 0; time < 20; time++) {
    using _gaps = guardGaps(size);
    const at = libc().mmap(0n, BigInt(size), READ_WRITE, PRIVATE_ANONYMOUS, -1, 0n), end = at + BigInt(size);
    kept.defer(() => void libc().munmap(at, BigInt(size)));
    assertEquals(mappings(`${end.toString(16).padStart(8, "0")}-`, " ---p "), 1, `mapping ${time}`);
  }
});
