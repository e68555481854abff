import { assertEquals } from "@std/assert";
import { AddressRanges } from "../../../../workbench/recordings/record/ranges.ts";

const FIRST = 0x7f5f_0000_1000n, LIMIT = { start: 0, end: 64 };

/** The words of memory with addresses at some offsets, and with others before a change. */
function memory(now: Readonly<Record<number, bigint>>, before = now) {
  const [present, past] = [now, before].map((placed) => {
    const view = new DataView(new ArrayBuffer(64));
    for (const [at, address] of Object.entries(placed)) view.setBigUint64(Number(at), address, true);
    return view;
  });
  return (at: number) => [present.getBigUint64(at, true), past.getBigUint64(at, true)];
}

Deno.test("AddressRanges reports changed addresses whole, and no half of one beside", () => {
  const ranges = new AddressRanges(),
    around = (start: number, end: number, words: ReturnType<typeof memory>) =>
      Object.values(ranges.around({ start, end }, LIMIT, words));
  const table = memory({ 8: FIRST + 4n, 16: FIRST + 8n, 28: FIRST });
  assertEquals(around(17, 18, table), [17, 18], "no address is known");
  ranges.add(FIRST, 0x100n);
  assertEquals(around(17, 18, table), [16, 24], "the address before ends where this one begins");
  assertEquals(around(12, 13, table), [8, 16]);
  assertEquals(around(15, 17, table), [8, 24], "of two");
  assertEquals(around(32, 36, table), [28, 36], "at a multiple of four");
  assertEquals(around(40, 48, table), [40, 48], "none");
  assertEquals(around(28, 32, memory({}, { 24: FIRST })), [24, 32], "one that was there");
  assertEquals(Object.values(ranges.around({ start: 12, end: 13 }, { start: 12, end: 20 }, table)), [12, 16]);
});
