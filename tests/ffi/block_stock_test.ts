import { assert, assertEquals } from "@std/assert";
import { NativeBlock, openBlocks, stockBlocks } from "../../ffi/block.ts";
import { peek8, poke8 } from "../../ffi/machine.ts";

Deno.test("stockBlocks() lets blocks come from one mapping, zeroed, apart and used again", () => {
  const before = openBlocks(), mapped = new NativeBlock(64);
  stockBlocks();
  const blocks = [1, 4096, 4097, 100_000].map((size) => new NativeBlock(size));
  assert(
    blocks.every((block) => block.view.buffer === blocks[0].view.buffer && block.view.buffer !== mapped.view.buffer),
  );
  assertEquals(blocks.map(({ address }) => address - blocks[0].address), [0n, 4096n, 8192n, 16384n]);
  assertEquals(blocks.map(({ bytes }) => bytes.length), [1, 4096, 4097, 100_000]);
  poke8(blocks[2].address + 4096n, 9);
  assertEquals(blocks[2].view.getUint8(4096), 9);
  blocks[2].close();
  blocks[2].close();
  const again = new NativeBlock(5000);
  assertEquals([again.address, peek8(again.address + 4096n)], [blocks[2].address, 0]);
  for (const block of [again, mapped, ...blocks]) block.close();
  assertEquals(openBlocks(), before);
});

Deno.test("a block the stock has no room for is mapped", () => {
  stockBlocks();
  using small = new NativeBlock(1);
  using large = new NativeBlock(1 << 25);
  assert(large.view.buffer !== small.view.buffer);
  large.bytes[large.size - 1] = 3;
  assertEquals(peek8(large.address + BigInt(large.size - 1)), 3);
});
