import { assert, assertEquals, assertThrows } from "@std/assert";
import { arena } from "../../../../ffi/arena.ts";
import { NativeBlock } from "../../../../ffi/block.ts";
import { codec, type StructObject } from "../../../../loader/codec/codec.ts";
import { encoded, roundTrip, withArena } from "../memory_support.ts";

const VULKAN_12_FEATURES = 51, FEATURES_2 = 1000059000, UNKNOWN = 777_000, OTHER = 777_001;

function chainOf(place: number): StructObject[] {
  return codec("VkDeviceCreateInfo").decode(place).pNext as StructObject[];
}

function unknownStruct(sType: number, next = 0n): NativeBlock {
  const block = new NativeBlock(64);
  block.view.setInt32(0, sType, true);
  block.view.setBigUint64(8, next, true);
  block.view.setBigUint64(16, 42n, true);
  return block;
}

Deno.test("pNext takes one struct, also one that brings its own chain", () => {
  const pNext = { sType: VULKAN_12_FEATURES, timelineSemaphore: true, pNext: { sType: FEATURES_2 } };
  const chain = roundTrip("VkDeviceCreateInfo", { pNext }).pNext as StructObject[];
  assertEquals(chain.map(({ sType }) => sType), [VULKAN_12_FEATURES, FEATURES_2]);
  assertEquals(chain[0].timelineSemaphore, true);
  assertEquals(chain[0].pNext, []);
});

Deno.test("pNext goes on behind a struct that brings its own chain", () => {
  const pNext = [{ sType: VULKAN_12_FEATURES, pNext: [{ sType: FEATURES_2 }] }, { sType: 49, multiview: true }];
  const chain = roundTrip("VkDeviceCreateInfo", { pNext }).pNext as StructObject[];
  assertEquals(chain.map(({ sType }) => sType), [VULKAN_12_FEATURES, FEATURES_2, 49]);
  assertEquals(chain[2].multiview, true);
});

Deno.test("pNext takes the address of a chain in native memory", () => {
  using block = unknownStruct(UNKNOWN);
  const chain = roundTrip("VkDeviceCreateInfo", { pNext: block.address }).pNext;
  assertEquals(chain, [{ sType: UNKNOWN, address: block.address }]);
});

Deno.test("a chain of unknown structs passes through unchanged", () => {
  withArena(() => {
    using last = unknownStruct(OTHER);
    using first = unknownStruct(UNKNOWN, last.address);
    const decoded = chainOf(encoded("VkDeviceCreateInfo", { pNext: first.address }));
    assertEquals(decoded, [{ sType: UNKNOWN, address: first.address }, { sType: OTHER, address: last.address }]);
    assertEquals(chainOf(encoded("VkDeviceCreateInfo", { pNext: decoded })), decoded);
    assertEquals(first.view.getBigUint64(8, true), last.address);
    assertEquals(first.view.getBigUint64(16, true), 42n);
  });
});

Deno.test("known structs around an unknown one keep their place", () => {
  withArena(() => {
    const tail = encoded("VkPhysicalDeviceFeatures2", { features: { geometryShader: true } });
    using block = unknownStruct(UNKNOWN, arena().address(tail));
    const pNext = [{ sType: VULKAN_12_FEATURES }, { sType: UNKNOWN, address: block.address }];
    const decoded = chainOf(encoded("VkDeviceCreateInfo", { pNext }));
    assertEquals(decoded.map(({ sType }) => sType), [VULKAN_12_FEATURES, UNKNOWN, FEATURES_2]);
    const again = chainOf(encoded("VkDeviceCreateInfo", { pNext: decoded }));
    assertEquals(again.map(({ sType }) => sType), [VULKAN_12_FEATURES, UNKNOWN, FEATURES_2]);
  });
});

Deno.test("a struct added behind an unknown one moves in front of it", () => {
  withArena(() => {
    using block = unknownStruct(UNKNOWN);
    const pNext = [{ sType: UNKNOWN, address: block.address }, { sType: VULKAN_12_FEATURES, timelineSemaphore: true }];
    const decoded = chainOf(encoded("VkDeviceCreateInfo", { pNext }));
    assertEquals(decoded.map(({ sType }) => sType), [VULKAN_12_FEATURES, UNKNOWN]);
    assert(decoded[0].timelineSemaphore);
  });
});

Deno.test("decode() refuses a chain that is a ring", () => {
  withArena(() => {
    using block = unknownStruct(UNKNOWN);
    block.view.setBigUint64(8, block.address, true);
    const place = encoded("VkDeviceCreateInfo", { pNext: block.address });
    assertThrows(() => chainOf(place), RangeError, "ring");
  });
});

Deno.test("encode() names what is wrong in a chain", () => {
  const cases: [unknown, string][] = [
    [[{ timelineSemaphore: true }], "pNext[0].sType is required in a chain, found undefined"],
    [[{ sType: 51 }, { sType: 999_999 }], "pNext[1].sType: 999999 is no structure type the registry knows"],
    [{ sType: 51, timelineSemaphor: true }, "pNext.timelineSemaphor is not a member; did you mean timelineSemaphore?"],
    [[51], "pNext[0]: expected a struct with its sType, found number 51"],
    [51, "pNext: expected a struct with its sType, found number 51"],
    [[{ sType: 51, pNext: 4096n }, { sType: FEATURES_2 }], "pNext[0].pNext: expected no address, found bigint 4096n"],
  ];
  for (const [pNext, message] of cases) {
    withArena(() =>
      assertThrows(() => encoded("VkDeviceCreateInfo", { pNext }), TypeError, `VkDeviceCreateInfo.${message}`)
    );
  }
});
