import { assertEquals } from "@std/assert";
import { AccessState } from "../../../workbench/programs/state.ts";

const FILL = { stage: 0x1000, access: 0x1000, layout: 0 }, COPY = { stage: 0x1000, access: 0x800, layout: 0 };
const COMPUTE = { stage: 0x800, access: 0x20, layout: 0 };

/** The stages and accesses that each use waits for; `undefined` where none. */
function waits(...uses: { stage: number; access: number; layout: number }[]): unknown[] {
  const state = new AccessState();
  return uses.map((use) => {
    const needed = state.use(use);
    return needed && [needed.srcStage, needed.srcAccess, needed.oldLayout];
  });
}

Deno.test("AccessState.use() asks for nothing before the first write, and between reads", () => {
  assertEquals(waits(FILL), [undefined]);
  assertEquals(waits(COPY, COPY), [undefined, undefined]);
});

Deno.test("AccessState.use() lets each stage wait for a write once", () => {
  assertEquals(waits(FILL, COPY, COPY, COMPUTE, COMPUTE), [
    undefined,
    [0x1000, 0x1000, 0],
    undefined,
    [0x1000, 0x1000, 0],
    undefined,
  ]);
});

Deno.test("AccessState.use() lets a write wait for the write and all reads before", () => {
  assertEquals(waits(FILL, COPY, COMPUTE, FILL).at(-1), [0x1800, 0x1000, 0]);
  assertEquals(waits(FILL, FILL).at(-1), [0x1000, 0x1000, 0]);
});

Deno.test("AccessState.use() lets a new layout wait for everything before", () => {
  const laid = (layout: number) => ({ ...COPY, layout });
  assertEquals(waits(laid(6), laid(6), laid(1)), [[1, 0, 0], undefined, [0x1000, 0, 6]]);
});
