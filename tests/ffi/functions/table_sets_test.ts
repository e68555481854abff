import { assertEquals } from "@std/assert";
import fc from "fast-check";
import { TABLE_SETS } from "../../../ffi/emit/layout.ts";
import { coreImage } from "../../../ffi/image/core.ts";
import { enterTable, leaveTable } from "../../../ffi/functions/table_sets.ts";

const PLACES = 1 << TABLE_SETS.hashBits, PAGE = 1n << BigInt(TABLE_SETS.hashShift);
/** Addresses no table of this process has. */
const FAR = 1n << 46n;

/** The answer of machine code: whether an address is in a set, from its own place on to the first free one. */
function find(set: "instance" | "device", address: bigint): boolean {
  const { tables } = coreImage()!;
  for (let place = Number(address / PAGE) % PLACES, left = PLACES; left > 0; place = (place + 1) % PLACES, left--) {
    const found = tables.getBigUint64(TABLE_SETS[set] + 8 * place, true);
    if (found === address) return true;
    if (found <= BigInt(TABLE_SETS.freeAt0)) return false;
  }
  throw new RangeError("the search has no end");
}

/** Whether what stands at the address's own place is the address: the first look of machine code. */
function matchesAtOnce(address: bigint): boolean {
  return coreImage()!.tables.getBigUint64(TABLE_SETS.device + 8 * (Number(address / PAGE) % PLACES), true) === address;
}

Deno.test("tables are found while they are there, however many share a place", () => {
  const step = fc.record({ isNew: fc.boolean(), at: fc.nat(40), level: fc.constantFrom("instance", "device") });
  fc.assert(fc.property(fc.array(step, { maxLength: 120 }), (steps) => {
    const kept = new Map<bigint, "instance" | "device">();
    for (const { isNew, at, level } of steps) {
      const address = FAR + PAGE * BigInt(PLACES * (at % 4) + (at >> 3) + PLACES - 2); // around the last place and the first
      const was = kept.get(address);
      if (isNew === (was !== undefined)) continue;
      if (isNew) enterTable(level, address), kept.set(address, level);
      else leaveTable(was!, address), kept.delete(address);
    }
    for (const [address, level] of kept) {
      assertEquals(find(level, address), true);
      assertEquals(find(level === "device" ? "instance" : "device", address), false);
    }
    for (const [address, level] of kept) leaveTable(level, address);
    for (const [address, level] of kept) assertEquals(find(level, address), false);
  }));
});

Deno.test("no small number is taken for a table, whatever stood at its place", () => {
  for (let number = 0n; number < 8n; number++) {
    const address = FAR + PAGE * number, other = address + PAGE * BigInt(PLACES);
    enterTable("device", address);
    enterTable("device", other);
    leaveTable("device", address); // something stands behind it, so that the place is not free
    for (const small of [number, PAGE * number, PAGE * number + 1n]) assertEquals(matchesAtOnce(small), false);
    assertEquals(find("device", other), true);
    leaveTable("device", other);
    for (const small of [number, PAGE * number, PAGE * number + 1n]) assertEquals(matchesAtOnce(small), false);
  }
});
