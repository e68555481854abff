import { assertEquals } from "@std/assert";
import { arena, inFrame } from "../../ffi/arena.ts";
import { NativeBlock } from "../../ffi/block.ts";
import { longAt, longIn } from "../../ffi/long.ts";

const WORDS = [1n, 2n ** 64n - 1n, 0x1234_5678_9abc_def0n];

Deno.test("longAt() and longIn() read the same in the arena and elsewhere", () => {
  inFrame((memory) => {
    const at = memory.alloc(24);
    using block = new NativeBlock(24);
    WORDS.forEach((word, index) => {
      memory.view.setBigUint64(at + 8 * index, word, true);
      block.view.setBigUint64(8 * index, word, true);
    });
    for (const address of [memory.address(at), block.address]) {
      assertEquals(longAt(address), WORDS[0]);
      assertEquals(WORDS.map((_, index) => longIn(address, index)), WORDS);
    }
  });
});

Deno.test("longAt() reads the arena's last word", () => {
  const memory = arena(), last = memory.size - 8;
  memory.view.setBigUint64(last, 7n, true);
  assertEquals(longAt(memory.base + BigInt(last)), 7n);
});
