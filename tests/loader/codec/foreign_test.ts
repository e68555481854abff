import { assertEquals } from "@std/assert";
import * as fc from "fast-check";
import { arena } from "../../../ffi/arena.ts";
import { codec, structNames } from "../../../loader/codec/codec.ts";
import { layoutOf } from "../../../loader/codec/layout/layout.ts";
import { structs } from "./arbitrary.ts";
import { difference } from "./compare.ts";
import { encoded, moveOut, withArena } from "./memory_support.ts";

Deno.test("decode() follows pointers out of the arena, for every struct", () => {
  for (const name of structNames().filter((each) => !layoutOf(each).union)) {
    fc.assert(
      fc.property(structs(name), (object) =>
        withArena(() => {
          const { size, decode, layout } = codec(name), start = encoded(name, object);
          using block = moveOut(start);
          const place = arena().copyIn(block.address, size);
          assertEquals(
            difference(layout, object, decode(place, name === "VkCommandBufferBeginInfo" ? 1 : undefined)),
            undefined,
          );
        })),
      { numRuns: 2 },
    );
  }
});

Deno.test("decode() follows a chain out of the arena, unknown structs included", () => {
  withArena(() => {
    using block = unknownStruct(777_000, 0n);
    const pNext = [{ sType: 51, timelineSemaphore: true }, { sType: 777_000, address: block.address }];
    const start = encoded("VkDeviceCreateInfo", { pNext });
    using moved = moveOut(start);
    const { size, decode } = codec("VkDeviceCreateInfo");
    const [first, second] = decode(arena().copyIn(moved.address, size)).pNext as Record<string, unknown>[];
    assertEquals(first.timelineSemaphore, true);
    assertEquals(second, { sType: 777_000, address: block.address });
  });
});

/** A struct of a type that no registry knows, in memory of its own. */
function unknownStruct(sType: number, next: bigint): ReturnType<typeof moveOut> {
  const block = moveOut(arena().mark());
  block.view.setInt32(0, sType, true);
  block.view.setBigUint64(8, next, true);
  return block;
}
