import { assert, assertEquals, assertStringIncludes, assertThrows } from "@std/assert";
import { arena } from "../../../../ffi/arena.ts";
import { codec } from "../../../../loader/codec/codec.ts";
import { withArena } from "../memory_support.ts";

const QUEUE = { queueFamilyIndex: 0, pQueuePriorities: [1] };
const CASES: [string, unknown, string][] = [
  [
    "VkBufferCreateInfo",
    { size: 65536 },
    "VkBufferCreateInfo.size: expected bigint, found number 65536 (write 65536n)",
  ],
  ["VkBufferCreateInfo", { usag: 2 }, "VkBufferCreateInfo.usag is not a member; did you mean usage?"],
  ["VkExtent2D", { radius: 2 }, "VkExtent2D.radius is not a member; VkExtent2D has width, height"],
  [
    "VkBufferCreateInfo",
    { usage: 1.5 },
    "VkBufferCreateInfo.usage: expected integer from 0 to 4294967295, found number 1.5",
  ],
  [
    "VkBufferCreateInfo",
    { usage: 2n },
    "VkBufferCreateInfo.usage: expected integer from 0 to 4294967295, found bigint 2n (write 2)",
  ],
  ["VkBufferCreateInfo", { usage: 2 ** 32 }, "found number 4294967296"],
  [
    "VkBufferCreateInfo",
    { sharingMode: "exclusive" },
    'VkBufferCreateInfo.sharingMode: expected integer from -2147483648 to 2147483647, found string "exclusive"',
  ],
  ["VkBufferCreateInfo", { sType: 13 }, "VkBufferCreateInfo.sType: expected 12 (VkBufferCreateInfo), found number 13"],
  [
    "VkBufferCreateInfo",
    null,
    "VkBufferCreateInfo: expected VkBufferCreateInfo (an object with its members), found null",
  ],
  [
    "VkBufferCreateInfo",
    { usage: null },
    "VkBufferCreateInfo.usage: expected integer from 0 to 4294967295, found null",
  ],
  ["VkBufferCreateInfo", { queueFamilyIndexCount: -1.5 }, "VkBufferCreateInfo.queueFamilyIndexCount: expected integer"],
  [
    "VkPhysicalDeviceFeatures",
    { wideLines: "yes" },
    'VkPhysicalDeviceFeatures.wideLines: expected boolean, found string "yes"',
  ],
  ["VkViewport", { width: 3n }, "VkViewport.width: expected number, found bigint 3n (write 3)"],
  [
    "VkDeviceCreateInfo",
    { pQueueCreateInfos: [QUEUE, { ...QUEUE, pQueuePriorities: ["high"] }] },
    'VkDeviceCreateInfo.pQueueCreateInfos[1].pQueuePriorities[0]: expected number, found string "high"',
  ],
  [
    "VkDeviceCreateInfo",
    { pQueueCreateInfos: QUEUE },
    "VkDeviceCreateInfo.pQueueCreateInfos: expected array, found object { queueFamilyIndex, pQueuePriorities }",
  ],
  [
    "VkDeviceCreateInfo",
    { pQueueCreateInfos: [undefined] },
    "VkDeviceCreateInfo.pQueueCreateInfos[0]: expected VkDeviceQueueCreateInfo",
  ],
  [
    "VkDeviceCreateInfo",
    { pQueueCreateInfos: [{ queueCount: 1 }] },
    "VkDeviceCreateInfo.pQueueCreateInfos[0].pQueuePriorities is required, found undefined although queueCount is 1",
  ],
  [
    "VkDeviceCreateInfo",
    { pQueueCreateInfos: [{ queueCount: 2, pQueuePriorities: [1] }] },
    "pQueuePriorities: expected at least 2 elements because queueCount is 2, found 1",
  ],
  [
    "VkSubmitInfo",
    { pWaitSemaphores: [1n] },
    "VkSubmitInfo.pWaitDstStageMask is required, found undefined although waitSemaphoreCount is 1",
  ],
  ["VkImageViewCreateInfo", {}, "VkImageViewCreateInfo.image is required, found undefined"],
  ["VkImageViewCreateInfo", { image: 0n }, "VkImageViewCreateInfo.image is required, found bigint 0n"],
  [
    "VkImageViewCreateInfo",
    { image: { name: 5 } },
    "VkImageViewCreateInfo.image: expected handle (bigint, object with a handle, or null), found object { name }",
  ],
  [
    "VkComputePipelineCreateInfo",
    { layout: 1n },
    "VkComputePipelineCreateInfo.stage.pName is required, found undefined",
  ],
  [
    "VkShaderModuleCreateInfo",
    { pCode: "code" },
    "VkShaderModuleCreateInfo.pCode: expected bytes (ArrayBuffer or a view of one) or an address (bigint)",
  ],
  [
    "VkShaderModuleCreateInfo",
    { codeSize: 8, pCode: new Uint8Array(4) },
    "pCode: expected at least 8 bytes because codeSize is 8, found 4",
  ],
  [
    "VkInstanceCreateInfo",
    { ppEnabledLayerNames: ["a", 5] },
    "VkInstanceCreateInfo.ppEnabledLayerNames[1]: expected string, found number 5",
  ],
  [
    "VkInstanceCreateInfo",
    { pApplicationInfo: { pEngineName: 1 } },
    "VkInstanceCreateInfo.pApplicationInfo.pEngineName: expected string, found number 1",
  ],
  [
    "VkPhysicalDeviceIDProperties",
    { deviceUUID: [256] },
    "VkPhysicalDeviceIDProperties.deviceUUID[0]: expected integer from 0 to 255, found number 256",
  ],
  [
    "VkPhysicalDeviceIDProperties",
    { deviceUUID: Array(17).fill(0) },
    "deviceUUID: expected at most 16 elements, found 17",
  ],
  [
    "VkTransformMatrixKHR",
    { matrix: [[1], ["x"]] },
    'VkTransformMatrixKHR.matrix[1][0]: expected number, found string "x"',
  ],
  [
    "VkAccelerationStructureInstanceKHR",
    { mask: 256 },
    "mask: expected integer from 0 to 255 (8 bits), found number 256",
  ],
  [
    "VkAllocationCallbacks",
    { pfnAllocation: 5 },
    "VkAllocationCallbacks.pfnAllocation: expected address (bigint or null), found number 5 (write 5n)",
  ],
];

for (const [name, object, message] of CASES) {
  Deno.test(`encode() says: ${message}`, () => {
    withArena(() => {
      const place = arena().alloc(codec(name).size);
      assertThrows(() => codec(name).encode(object as Record<string, unknown>, place), TypeError, message);
    });
  });
}

Deno.test("encode() takes undefined for any member and null for pointers", () => {
  withArena(() => {
    const { size, encode, decode } = codec("VkBufferCreateInfo"), place = arena().alloc(size);
    encode({ flags: undefined, pNext: null, pQueueFamilyIndices: null, unknown: undefined }, place);
    const { flags, pNext, pQueueFamilyIndices } = decode(place) as Record<string, unknown>;
    assertEquals([flags, pNext, pQueueFamilyIndices], [0, [], null]);
  });
});

Deno.test("codec() names an unknown struct", () => {
  assertThrows(
    () => codec("VkBufferCreateInf"),
    TypeError,
    "registry has none of that name; did you mean VkBufferCreateInfo?",
  );
});

/** Structs of a chain, by their numbers in `pNext`. */
const VULKAN_11 = { sType: 49 }, VULKAN_12 = { sType: 51 };

Deno.test("a value that contains itself is told with the place, in a struct for the driver, too", () => {
  const own: Record<string, unknown> = { ...VULKAN_11 }, chain: unknown[] = [{ ...VULKAN_11 }];
  own.pNext = [own];
  chain.push({ ...VULKAN_12, pNext: chain });
  const rings: [object, string][] = [
    [{ pNext: [own] }, "VkDeviceCreateInfo.pNext[0].pNext[0] is VkDeviceCreateInfo.pNext[0] itself"],
    [{ pNext: own }, "VkDeviceCreateInfo.pNext.pNext[0] is VkDeviceCreateInfo.pNext itself"],
    [{ pNext: chain }, "VkDeviceCreateInfo.pNext[1].pNext is VkDeviceCreateInfo.pNext itself"],
    [{ pNext: [own], flags: "none" }, "VkDeviceCreateInfo.pNext[0].pNext[0] is VkDeviceCreateInfo.pNext[0] itself"],
  ];
  withArena(() => {
    const { encode, size } = codec("VkDeviceCreateInfo"), { encodeOut } = codec("VkPhysicalDeviceFeatures2");
    for (const [info, found] of rings) {
      const error = assertThrows(() => encode({ pQueueCreateInfos: [QUEUE], ...info }, arena().alloc(size)), TypeError);
      assertEquals(error.message, `${found}; a chain or a struct needs an end`);
    }
    const error = assertThrows(() => encodeOut({ pNext: [own] }, arena().alloc(240)), TypeError);
    assertStringIncludes(error.message, "pNext[0] is VkPhysicalDeviceFeatures2.pNext[0] itself");
  });
});

Deno.test("a chain that is too deep is told in one short sentence, and a struct used twice is no ring", () => {
  let deep: Record<string, unknown> = { ...VULKAN_11 };
  for (let each = 0; each < 20_000; each++) deep = { ...VULKAN_11, pNext: [deep] };
  withArena(() => {
    const { encode, size } = codec("VkDeviceCreateInfo");
    const info = { pQueueCreateInfos: [QUEUE, QUEUE], pNext: [deep] };
    const { message } = assertThrows(() => encode(info, arena().alloc(size)), TypeError);
    assertStringIncludes(message, "over 4096 values deep");
    assert(message.length < 250, message);
    encode({ ...info, pNext: [] }, arena().alloc(size));
    const wrong = assertThrows(() => encode({ ...info, pNext: [], flags: "x" }, arena().alloc(size)), TypeError);
    assertStringIncludes(wrong.message, "VkDeviceCreateInfo.flags");
  });
});
