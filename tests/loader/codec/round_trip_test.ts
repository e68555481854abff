import { assert, assertEquals } from "@std/assert";
import * as fc from "fast-check";
import { arena } from "../../../ffi/arena.ts";
import { codec, structNames } from "../../../loader/codec/codec.ts";
import { layoutOf } from "../../../loader/codec/layout/layout.ts";
import { same } from "../../../loader/codec/closures/union.ts";
import type { StructObject } from "../../../loader/codec/values/convert.ts";
import { structs } from "./arbitrary.ts";
import { difference } from "./compare.ts";

/** The selector under which a struct on its own decodes completely. */
const SELECTORS: Record<string, number> = { VkCommandBufferBeginInfo: 1 };

Deno.test("codec() decodes what it encoded, for random values of every struct", () => {
  for (const name of structNames()) {
    const { size } = codec(name), layout = layoutOf(name), memory = arena(), mark = memory.mark();
    if (layout.union) continue;
    fc.assert(
      fc.property(structs(name), (object) => {
        const place = memory.alloc(size);
        memory.bytes.fill(0xa5, place, place + size);
        codec(name).encode(object, place);
        const decoded = codec(name).decode(place, SELECTORS[name]);
        const problem = difference(layout, object, decoded);
        assert(problem === undefined, problem);
        const again = memory.alloc(size);
        codec(name).encode(decoded, again);
        assert(same(codec(name).decode(again, SELECTORS[name]), decoded), `${name}: decoding twice differs`);
        memory.release(mark);
      }),
      { numRuns: 15 },
    );
  }
});

Deno.test("codec() decodes the chosen member of every union", () => {
  for (const name of structNames().filter((each) => layoutOf(each).union)) {
    const layout = layoutOf(name), memory = arena(), mark = memory.mark();
    fc.assert(
      fc.property(structs(name), (object) => {
        const place = memory.alloc(layout.size);
        codec(name).encode(object, place);
        const field = layout.fields.find((each) => each.name in object)!;
        const decoded = codec(name).decode(place, field.selection[0]);
        if (field.stars > 0 && field.selection.length === 0) assertEquals(typeof decoded[field.name], "bigint");
        else assertEquals(difference(layout, object, decoded), undefined);
        memory.release(mark);
      }),
      { numRuns: 20 },
    );
  }
});

Deno.test("codec() keeps random pNext chains, with their order and repetitions", () => {
  const chained = structNames().filter((name) => layoutOf(name).sType >= 0 && !(name in SELECTORS));
  const link = fc.constantFrom(...chained).chain((name) =>
    structs(name).map((object): StructObject => ({ sType: layoutOf(name).sType, ...object }))
  );
  const memory = arena(), mark = memory.mark(), { size } = codec("VkDeviceCreateInfo");
  fc.assert(
    fc.property(fc.array(link, { maxLength: 6 }), (pNext) => {
      const place = memory.alloc(size), again = memory.alloc(size);
      codec("VkDeviceCreateInfo").encode({ pNext }, place);
      const decoded = codec("VkDeviceCreateInfo").decode(place);
      const chain = decoded.pNext as StructObject[];
      assertEquals(chain.map(({ sType }) => sType), pNext.map(({ sType }) => sType));
      pNext.forEach((given, i) => {
        const layout = layoutOf(chained.find((name) => layoutOf(name).sType === given.sType)!);
        assertEquals(difference(layout, given, chain[i]), undefined);
      });
      codec("VkDeviceCreateInfo").encode(decoded, again);
      assert(same(codec("VkDeviceCreateInfo").decode(again), decoded));
      memory.release(mark);
    }),
    { numRuns: 150 },
  );
});
