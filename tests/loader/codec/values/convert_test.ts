import { assertEquals } from "@std/assert";
import { arena } from "../../../../ffi/arena.ts";
import { codec, codecBySType, structNames, type StructObject } from "../../../../loader/codec/codec.ts";
import { encoded, roundTrip, withArena } from "../memory_support.ts";

Deno.test("codec() tells a struct's name, size and sType", () => {
  const { name, size, sType } = codec("VkBufferCreateInfo");
  assertEquals([name, size, sType], ["VkBufferCreateInfo", 56, 12]);
  assertEquals(codecBySType(12), codec("VkBufferCreateInfo"));
  assertEquals(codecBySType(999_999), undefined);
  assertEquals(codec("VkExtent2D").sType, -1);
  assertEquals(structNames().includes("VkBufferCreateInfo"), true);
});

Deno.test("counts come from the arrays, unless they are given", () => {
  assertEquals(
    roundTrip("VkBufferCreateInfo", { sharingMode: 1, pQueueFamilyIndices: [3, 4] }).queueFamilyIndexCount,
    2,
  );
  assertEquals(roundTrip("VkDescriptorSetLayoutBinding", { descriptorCount: 4 }).descriptorCount, 4);
  assertEquals(
    roundTrip("VkPipelineViewportStateCreateInfo", { viewportCount: 1, pScissors: [{}, {}] }).scissorCount,
    2,
  );
  const submit = roundTrip("VkSubmitInfo", { pWaitSemaphores: [1n, 2n], pWaitDstStageMask: [1, 2] });
  assertEquals([submit.waitSemaphoreCount, submit.pWaitDstStageMask], [2, [1, 2]]);
  const fewer = roundTrip("VkSubmitInfo", { commandBufferCount: 1, pCommandBuffers: [1n, 2n] });
  assertEquals(fewer.pCommandBuffers, [1n]);
});

Deno.test("codeSize is in bytes and pCode any view", () => {
  const words = Uint32Array.of(0x0723_0203, 5, 6);
  for (const pCode of [words, new Uint8Array(words.buffer), words.buffer, [...words], new DataView(words.buffer)]) {
    const decoded = roundTrip("VkShaderModuleCreateInfo", { pCode });
    assertEquals([decoded.codeSize, decoded.pCode], [12, words]);
  }
});

Deno.test("payloads are bytes or an address", () => {
  const pData = Uint8Array.of(1, 2, 3);
  assertEquals(roundTrip("VkSpecializationInfo", { pData }).pData, pData);
  assertEquals(roundTrip("VkSpecializationInfo", { pData }).dataSize, 3);
  withArena(() => {
    const address = arena().place(pData);
    assertEquals(
      codec("VkSpecializationInfo").decode(encoded("VkSpecializationInfo", { pData: address, dataSize: 2n })).pData,
      pData.slice(0, 2),
    );
  });
  assertEquals(roundTrip("VkImportMemoryHostPointerInfoEXT", { pHostPointer: 4096n }).pHostPointer, 4096n);
});

Deno.test("a payload larger than the arena goes through memory of its own", () => {
  withArena(() => {
    const pInitialData = new Uint8Array(20 << 20);
    const place = encoded("VkPipelineCacheCreateInfo", { pInitialData });
    const decoded = codec("VkPipelineCacheCreateInfo").decode(place);
    assertEquals(decoded.initialDataSize, pInitialData.length);
    assertEquals(typeof decoded.pInitialData, "bigint");
  });
});

Deno.test("pSampleMask has a word for every 32 samples", () => {
  const decoded = roundTrip("VkPipelineMultisampleStateCreateInfo", {
    rasterizationSamples: 64,
    pSampleMask: [1, 0xffff_ffff],
  });
  assertEquals(decoded.pSampleMask, [1, 0xffff_ffff]);
  assertEquals(
    roundTrip("VkPipelineMultisampleStateCreateInfo", { rasterizationSamples: 4, pSampleMask: [7] }).pSampleMask,
    [7],
  );
});

Deno.test("flags take negative results of |, enums keep their sign, booleans take 0 and 1", () => {
  assertEquals(roundTrip("VkSubpassDependency", { srcAccessMask: 1 << 31 }).srcAccessMask, 0x8000_0000);
  assertEquals(
    roundTrip("VkBindImageMemoryInfo", { image: 1n, memory: 1n, memoryOffset: (1n << 64n) - 1n }).memoryOffset,
    (1n << 64n) - 1n,
  );
  assertEquals(roundTrip("VkOffset2D", { x: -5, y: 5 }), { x: -5, y: 5 });
  const features = roundTrip("VkPhysicalDeviceFeatures", { geometryShader: 1, wideLines: true, shaderInt64: 0 });
  assertEquals([features.geometryShader, features.wideLines, features.shaderInt64], [true, true, false]);
});

Deno.test("handles are bigints, objects with a handle, or null", () => {
  const submit = roundTrip("VkSubmitInfo", { pCommandBuffers: [7n, { handle: 8n }] });
  assertEquals(submit.pCommandBuffers, [7n, 8n]);
  assertEquals(roundTrip("VkGraphicsPipelineCreateInfo", { layout: null }).layout, 0n);
});

Deno.test("function pointers are addresses", () => {
  const callbacks = { pfnAllocation: 16n, pfnReallocation: 32n, pfnFree: 48n, pUserData: 64n };
  assertEquals(roundTrip("VkAllocationCallbacks", callbacks), {
    ...callbacks,
    pfnInternalAllocation: 0n,
    pfnInternalFree: 0n,
  });
});

Deno.test("bit-fields share their storage unit", () => {
  const instance = {
    instanceCustomIndex: 0xabcdef,
    mask: 0x12,
    instanceShaderBindingTableRecordOffset: 1,
    flags: 0xff,
  };
  withArena(() => {
    const place = encoded("VkAccelerationStructureInstanceKHR", instance);
    assertEquals(arena().view.getUint32(place + 48, true), 0x12ab_cdef);
    assertEquals(arena().view.getUint32(place + 52, true), 0xff00_0001);
    const decoded = codec("VkAccelerationStructureInstanceKHR").decode(place);
    for (const [name, value] of Object.entries(instance)) assertEquals(decoded[name], value);
  });
});

Deno.test("arrays of arrays keep their shape; rows left out are zero", () => {
  const { matrix } = roundTrip("VkTransformMatrixKHR", { matrix: [[1, 2, 3, 4], [5]] });
  assertEquals(matrix, [[1, 2, 3, 4], [5, 0, 0, 0], [0, 0, 0, 0]]);
});

Deno.test("fixed arrays are as long as their count says", () => {
  const properties = { memoryTypes: [{ heapIndex: 1 }, { heapIndex: 2 }], memoryHeaps: [] };
  const decoded = roundTrip("VkPhysicalDeviceMemoryProperties", properties);
  assertEquals((decoded.memoryTypes as StructObject[]).map(({ heapIndex }) => heapIndex), [1, 2]);
  assertEquals(decoded.memoryHeaps, []);
});

Deno.test("pointers to pointers are arrays", () => {
  const ppGeometries = [{ geometryType: 2, geometry: { instances: { data: { deviceAddress: 16n } } } }];
  const decoded = roundTrip("VkAccelerationStructureBuildGeometryInfoKHR", {
    ppGeometries,
    scratchData: { deviceAddress: 1n },
  });
  assertEquals([decoded.geometryCount, (decoded.ppGeometries as StructObject[])[0].geometryType], [1, 2]);
  assertEquals(
    roundTrip("VkInstanceCreateInfo", { ppEnabledExtensionNames: ["a", "é", "𝄞"] }).ppEnabledExtensionNames,
    ["a", "é", "𝄞"],
  );
});

Deno.test("a count that lives in another struct leaves the pointer an address", () => {
  assertEquals(
    roundTrip("StdVideoH265HrdParameters", { pSubLayerHrdParametersNal: 4096n }).pSubLayerHrdParametersNal,
    4096n,
  );
});

Deno.test("the loader's link structs decode by their function", () => {
  const link = { sType: 47, function: 0, u: { pLayerInfo: { pfnNextGetInstanceProcAddr: 16n } } };
  const [decoded] = roundTrip("VkInstanceCreateInfo", { pNext: [link] }).pNext as StructObject[];
  assertEquals(((decoded.u as StructObject).pLayerInfo as StructObject).pfnNextGetInstanceProcAddr, 16n);
});

Deno.test("a failed encode leaves nothing behind", () => {
  withArena(() => {
    const before = arena().mark();
    try {
      encoded("VkDeviceCreateInfo", { pQueueCreateInfos: [{ pQueuePriorities: ["high"] }] });
    } catch {
      arena().release(before);
    }
    assertEquals(arena().mark(), before);
    assertEquals(roundTrip("VkOffset2D", { x: 1 }), { x: 1, y: 0 });
  });
});
