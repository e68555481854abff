import { assert, assertEquals } from "@std/assert";
import * as fc from "fast-check";
import { arena } from "../../../../ffi/arena.ts";
import { codec, structNames } from "../../../../loader/codec/codec.ts";
import { layoutOf } from "../../../../loader/codec/layout/layout.ts";
import { traceBytes, traceScalar, traceStruct } from "../../../../loader/layers/shipped/trace/value.ts";
import { structs } from "../../codec/arbitrary.ts";
import { difference } from "../../codec/compare.ts";
import { revive } from "./revive.ts";

/** The selector under which a struct on its own decodes completely. */
const SELECTORS: Record<string, number> = { VkCommandBufferBeginInfo: 1 };

/** The value that JSON gives back of a struct that was encoded, decoded and traced. */
function throughJson(name: string, object: Record<string, unknown>) {
  const { size, encode, decode } = codec(name), memory = arena(), mark = memory.mark(), at = memory.alloc(size);
  encode(object, at);
  const text = JSON.stringify(traceStruct(layoutOf(name), decode(at, SELECTORS[name])));
  memory.release(mark);
  return JSON.parse(text);
}

Deno.test("traceStruct() gives JSON of which random values of every struct can be made again", () => {
  for (const name of structNames().filter((each) => !layoutOf(each).union)) {
    const layout = layoutOf(name);
    fc.assert(
      fc.property(structs(name), (object) => {
        const problem = difference(layout, object, revive(layout, throughJson(name, object)));
        assert(problem === undefined, problem);
      }),
      { numRuns: 5 },
    );
  }
});

Deno.test("traceStruct() keeps random chains in order, each struct with its sType", () => {
  const chained = structNames().filter((name) => layoutOf(name).sType >= 0 && !(name in SELECTORS));
  const link = fc.constantFrom(...chained).chain((name) =>
    structs(name).map((object): Record<string, unknown> => ({ sType: layoutOf(name).sType, ...object }))
  );
  fc.assert(
    fc.property(fc.array(link, { minLength: 1, maxLength: 4 }), (pNext) => {
      const { pNext: traced } = throughJson("VkDeviceCreateInfo", { pNext });
      assertEquals(traced.map((each: { sType: number }) => each.sType), pNext.map(({ sType }) => sType));
    }),
    { numRuns: 60 },
  );
});

Deno.test("traceStruct() shows structs the registry does not know by their sType and address", () => {
  const memory = arena(), mark = memory.mark(), unknown = memory.alloc(16);
  memory.view.setInt32(unknown, 2_000_000_001, true);
  memory.view.setBigUint64(unknown + 8, 0n, true);
  const address = memory.address(unknown);
  const { pNext } = throughJson("VkBufferCreateInfo", { size: 1n, usage: 1, pNext: address });
  assertEquals(pNext, [{ sType: 2_000_000_001, address: `0x${address.toString(16)}` }]);
  memory.release(mark);
});

Deno.test("traceScalar() writes what JSON lacks as strings", () => {
  assertEquals([NaN, Infinity, -Infinity, -0, 0, 1.5].map((each) => traceScalar("f32", each)), [
    "NaN",
    "Infinity",
    "-Infinity",
    "-0",
    0,
    1.5,
  ]);
  assertEquals(traceScalar("u64", 2n ** 64n - 1n), "18446744073709551615");
  assertEquals([traceScalar("h", 255n), traceScalar("p", 0n)], ["0xff", "0x0"]);
  assertEquals(traceBytes(new Uint8Array([0, 10, 255])), { bytes: "000aff" });
});
