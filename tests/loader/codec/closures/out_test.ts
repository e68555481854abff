import { assertEquals, assertThrows } from "@std/assert";
import { arena } from "../../../../ffi/arena.ts";
import { codec, type StructObject } from "../../../../loader/codec/codec.ts";
import { withArena } from "../memory_support.ts";

function prepared(name: string, object?: StructObject): StructObject {
  return withArena(() => {
    const { size, encodeOut, decode } = codec(name), place = arena().alloc(size);
    arena().bytes.fill(0xa5, place, place + 8192);
    encodeOut(object, place);
    return decode(place);
  });
}

Deno.test("encodeOut() zeroes the struct and sets its sType", () => {
  const { sType, pNext, properties } = prepared("VkPhysicalDeviceProperties2");
  assertEquals([sType, pNext, (properties as StructObject).deviceName], [1000059001, [], ""]);
});

Deno.test("encodeOut() prepares a chain of sTypes and literals", () => {
  const pNext = [1000196000, { sType: 1000071004, pNext: { sType: 52 } }, 50];
  const chain = prepared("VkPhysicalDeviceProperties2", { pNext }).pNext as StructObject[];
  assertEquals(chain.map(({ sType }) => sType), [1000196000, 1000071004, 52, 50]);
  assertEquals(chain[0].driverName, "");
});

Deno.test("encodeOut() makes room for arrays that the driver fills", () => {
  const pDrmFormatModifierProperties = [{}, {}, {}];
  const list = { sType: 1000158000, pDrmFormatModifierProperties };
  const [decoded] = prepared("VkFormatProperties2", { pNext: [list] }).pNext as StructObject[];
  assertEquals(decoded.drmFormatModifierCount, 3);
  assertEquals((decoded.pDrmFormatModifierProperties as unknown[]).length, 3);
});

Deno.test("encodeOut() requires nothing and takes null for a pointer", () => {
  assertEquals(prepared("VkDisplayPropertiesKHR", { display: null, displayName: null }).displayName, null);
});

Deno.test("encodeOut() names a wrong member", () => {
  assertThrows(() => prepared("VkPhysicalDeviceProperties2", { propertis: {} }), TypeError, "did you mean properties?");
  assertThrows(
    () => prepared("VkPhysicalDeviceProperties2", { pNext: [7_777_777] }),
    TypeError,
    "pNext[0].sType: 7777777 is no structure type",
  );
});
