import * as fc from "fast-check";
import { assert, assertEquals } from "@std/assert";
import { arena } from "../../../../ffi/arena.ts";
import { closureDecoder, closureEncoder } from "../../../../loader/codec/closures/closures.ts";
import { codec, codecBySType, structNames } from "../../../../loader/codec/codec.ts";
import { layoutOf } from "../../../../loader/codec/layout/layout.ts";
import { same, unionDecoder, unionEncoder } from "../../../../loader/codec/closures/union.ts";
import type { Finder, StructCodec } from "../../../../loader/codec/struct_codec.ts";
import { type StructObject, TROUBLE } from "../../../../loader/codec/values/convert.ts";
import { structs } from "../arbitrary.ts";

const closures = new Map<string, StructCodec>();
const FINDER: Finder = {
  byName: closureCodec,
  bySType(sType) {
    const known = codecBySType(sType);
    return known && closureCodec(known.name);
  },
};

/** A codec without generated code, however the runtime was started. */
function closureCodec(name: string): StructCodec {
  let found = closures.get(name);
  if (found === undefined) {
    const layout = layoutOf(name);
    let put: StructCodec["put"] | undefined, get: StructCodec["get"] | undefined;
    found = {
      layout,
      size: layout.size,
      get: (...args) => (get ??= (layout.union ? unionDecoder : closureDecoder)(layout, FINDER))(...args),
      put: (...args) =>
        (put ??= layout.union ? unionEncoder(layout, FINDER, found!.get) : closureEncoder(layout, FINDER))(...args),
    };
    closures.set(name, found);
  }
  return found;
}

/** The selector that fits what was encoded: any other would follow pointers that aren't there. */
function selectorFor(name: string, object: StructObject): number | undefined {
  if (name === "VkCommandBufferBeginInfo") return 1;
  const { union, fields } = layoutOf(name);
  return union ? fields.find((field) => field.name in object)?.selection[0] : undefined;
}

/** Much faster than assertEquals on long arrays. */
function equalBytes(left: Uint8Array, right: Uint8Array): boolean {
  return left.length === right.length && left.every((byte, index) => byte === right[index]);
}

Deno.test("closures write the same bytes and read the same objects as generated code, for every struct", () => {
  const memory = arena(), mark = memory.mark();
  for (const name of structNames()) {
    const { size } = codec(name), room = 1 << 16;
    fc.assert(
      fc.property(structs(name), (object) => {
        const written = [codec(name).encode, closureCodec(name).put].map((encode) => {
          const place = memory.alloc(size);
          memory.bytes.fill(0, place, place + room);
          encode(object, place);
          const bytes = memory.bytes.slice(place, memory.mark());
          const chosen = selectorFor(name, object);
          const decoded = [codec(name).decode(place, chosen), closureCodec(name).get(place, chosen)];
          assert(same(decoded[0], decoded[1]), `${name} decodes differently`);
          memory.release(mark);
          return bytes;
        });
        assert(equalBytes(written[0], written[1]), `${name} is written differently`);
      }),
      { numRuns: 3 },
    );
  }
});

Deno.test("closures refuse what generated code refuses, whatever is put in place of a member", () => {
  const wrong = fc.constantFrom<unknown>(
    null,
    -1,
    1.5,
    2 ** 32,
    2 ** 53,
    NaN,
    5n,
    "text",
    true,
    {},
    [],
    [undefined],
    [{}],
    () => {},
    new Uint8Array(3),
  );
  const memory = arena(), mark = memory.mark();
  for (const name of structNames()) {
    const layout = layoutOf(name), names = [...layout.fields.map((field) => field.name), "unknownMember"];
    fc.assert(
      fc.property(structs(name), fc.constantFrom(...names), wrong, (object, member, value) => {
        const place = memory.alloc(layout.size), changed = { ...object, [member]: value };
        const thrown = [codec(name).encode, closureCodec(name).put].map((encode) => {
          try {
            return encode(changed, place);
          } catch (error) {
            return error;
          }
        });
        memory.release(mark);
        const [generated, closure] = thrown;
        assertEquals(
          generated === undefined,
          closure === undefined,
          `${name}.${member}: ${String(generated)} / ${String(closure)}`,
        );
        if (generated === undefined) return;
        assert(generated instanceof TypeError && closure === TROUBLE || closure instanceof TypeError);
        assert(!String(generated).includes("Cannot encode"), `${name}.${member} is not explained`);
        assert((generated as Error).message.startsWith(name), (generated as Error).message);
      }),
      { numRuns: 6 },
    );
  }
});
