import { assertEquals, assertThrows } from "@std/assert";
import { mapMemory, NativeBlock, openBlocks, unmapMemory } from "../../ffi/block.ts";
import { SpareMemory } from "../../ffi/spare_memory.ts";
import { peek64, poke64 } from "../../ffi/machine.ts";

Deno.test("SpareMemory gives a later block of the size the memory of a closed one, zeroed", () => {
  using spare = new SpareMemory();
  assertEquals(spare.keep(mapMemory(8192)), true); // a process may have a stock, from which blocks come otherwise
  const before = openBlocks(), first = new NativeBlock(8192, spare), { address, bytes, view } = first;
  bytes.fill(0xff);
  first.close();
  first.close();
  assertEquals([openBlocks() - before, bytes.length, peek64(address)], [0, 0, 0n]);
  assertThrows(() => view.getUint8(0), TypeError);
  using other = new NativeBlock(4096, spare), second = new NativeBlock(8192, spare);
  assertEquals([second.address === address, other.address === address], [true, false]);
  assertEquals([second.bytes.length, second.bytes.every((byte) => byte === 0)], [8192, true]);
  poke64(address + 8n, 5n);
  assertEquals(second.view.getBigUint64(8, true), 5n);
});

Deno.test("SpareMemory keeps a few, and nothing once it is closed", () => {
  const spare = new SpareMemory(), memories = Array.from({ length: 9 }, () => mapMemory(4096));
  const last = memories[8];
  assertEquals(memories.map((each) => spare.keep(each)), [...Array(8).fill(true), false]);
  const kept = memories.map(() => spare.take(4096)), addresses = kept.map((each) => each?.address);
  assertEquals(new Set(addresses), new Set([...memories.slice(0, 8).map(({ address }) => address), undefined]));
  assertEquals(spare.keep(kept[0]!), true);
  spare.close();
  assertEquals([spare.take(4096), spare.keep(last), last.bytes.length], [undefined, false, 4096]);
  for (const each of [...kept.slice(1, 8), last]) unmapMemory(each!);
});
