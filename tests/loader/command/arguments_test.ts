import { assertEquals, assertThrows } from "@std/assert";
import { readCString } from "../../../ffi/cstring.ts";
import type * as vk from "../../../loader/types.ts";
import { bytesAt, longsAt, spyOn, wordsAt } from "../spy.ts";
import { NEEDS_TINY } from "../tiny.ts";

const LAYOUT = 7n as vk.VkPipelineLayout;
const BUFFERS = [11n, 12n] as vk.VkBuffer[];

Deno.test("vkCmdPushConstants() passes the bytes of any view and says how many", NEEDS_TINY, () => {
  const floats = new Float32Array([1, 2, 3]), bytes = new Uint8Array([1, 2, 3, 4, 5, 6, 7, 8]);
  const seen = spyOn("vkCmdPushConstants", (_device, commands) => {
    commands.vkCmdPushConstants(LAYOUT, 1, 4, floats);
    commands.vkCmdPushConstants(LAYOUT, 1, 4, bytes.subarray(2, 6));
    commands.vkCmdPushConstants(LAYOUT, 1, 4, new DataView(bytes.buffer, 1, 4));
    commands.vkCmdPushConstants(LAYOUT, 1, 4, bytes.buffer);
  }, (_commands, _layout, _stages, offset, size, values) => [offset, bytesAt(values, size)]);
  assertEquals(seen, [
    [4, new Uint8Array(floats.buffer)],
    [4, new Uint8Array([3, 4, 5, 6])],
    [4, new Uint8Array([2, 3, 4, 5])],
    [4, bytes],
  ]);
});

Deno.test("bytes that are counted cannot be an address or an array", NEEDS_TINY, () => {
  spyOn("vkCmdPushConstants", (_device, commands) => {
    const push = (values: unknown) => () => commands.vkCmdPushConstants(LAYOUT, 1, 0, values as Uint8Array);
    assertThrows(push(0x1000n), TypeError, "an address has no length");
    assertThrows(push([1, 2]), TypeError, "vkCmdPushConstants");
  }, () => 0);
});

Deno.test("arrays that share a count must be equally long", NEEDS_TINY, () => {
  const seen = spyOn("vkCmdBindVertexBuffers", (_device, commands) => {
    const bind = (buffers: unknown, offsets: unknown) => () =>
      commands.vkCmdBindVertexBuffers(0, buffers as vk.VkBuffer[], offsets as bigint[]);
    assertThrows(bind(BUFFERS, [0n]), TypeError, "pBuffers, pOffsets must have the same length, found 2 and 1");
    assertThrows(bind(BUFFERS, []), TypeError, "found 2 and 0");
    assertThrows(bind(BUFFERS, undefined), TypeError, "vkCmdBindVertexBuffers: pOffsets: is required");
    assertThrows(bind(5, [0n]), TypeError, "expected an array");
    bind(BUFFERS, new BigUint64Array([64n, 128n]))();
  }, (_commands, first, count, buffers, offsets) => [first, count, longsAt(buffers, 2), longsAt(offsets, 2)]);
  assertEquals(seen, [[0, 2, [11n, 12n], [64n, 128n]]]);
});

Deno.test("optional arrays that share a count may be left out", NEEDS_TINY, () => {
  const seen = spyOn("vkCmdBindVertexBuffers2", (_device, commands) => {
    commands.vkCmdBindVertexBuffers2(0, BUFFERS, [0n, 0n]);
    commands.vkCmdBindVertexBuffers2(0, BUFFERS, [0n, 0n], null, [16n, 32n]);
    assertThrows(() => commands.vkCmdBindVertexBuffers2(0, BUFFERS, [0n, 0n], []), TypeError, "same length");
  }, (_commands, _first, count, _buffers, _offsets, sizes, strides) => [count, sizes, strides && longsAt(strides, 2)]);
  assertEquals(seen, [[2, 0n, 0n], [2, 0n, [16n, 32n]]]);
});

Deno.test("an array of fixed extent must have it", NEEDS_TINY, () => {
  const seen = spyOn("vkCmdSetBlendConstants", (_device, commands) => {
    commands.vkCmdSetBlendConstants([0.5, 1, 2, 4]);
    assertThrows(() => commands.vkCmdSetBlendConstants([1, 2, 3]), TypeError, "expected 4 elements, found 3");
    assertThrows(() => commands.vkCmdSetBlendConstants(undefined as never), TypeError, "is required");
  }, (_commands, constants) => [...new Float32Array(bytesAt(constants, 16).buffer)]);
  assertEquals(seen, [[0.5, 1, 2, 4]]);
});

Deno.test("arrays of arrays become pointers to arrays of structs", NEEDS_TINY, () => {
  const geometry = (count: number) => ({
    type: 0,
    mode: 0,
    pGeometries: Array(count).fill({
      geometryType: 1,
      geometry: { aabbs: { data: { deviceAddress: 0x1000n }, stride: 24n } },
    }),
  });
  const ranges = [[{ primitiveCount: 1, primitiveOffset: 2 }, { firstVertex: 3 }], [{ transformOffset: 4 }]];
  const seen = spyOn("vkCmdBuildAccelerationStructuresKHR", (_device, commands) => {
    commands.vkCmdBuildAccelerationStructuresKHR([geometry(2), geometry(1)], ranges);
  }, (_commands, count, infos, pointers) => {
    const [first, second] = longsAt(pointers, 2);
    return [count, wordsAt(infos + 48n, 1), wordsAt(infos + 128n, 1), wordsAt(first, 8), wordsAt(second, 4)];
  });
  assertEquals(seen, [[2, [2], [1], [1, 2, 0, 0, 0, 0, 3, 0], [0, 0, 0, 4]]]);
});

Deno.test("arrays of arrays of numbers work likewise", NEEDS_TINY, () => {
  const seen = spyOn("vkCmdBuildAccelerationStructuresIndirectKHR", (_device, commands) => {
    commands.vkCmdBuildAccelerationStructuresIndirectKHR(
      [{ type: 0, mode: 0, pGeometries: [] }],
      [0x2000n],
      [16],
      [[5, 6, 7]],
    );
  }, (_commands, count, _infos, addresses, strides, counts) => {
    return [count, longsAt(addresses, 1), wordsAt(strides, 1), wordsAt(longsAt(counts, 1)[0], 3)];
  });
  assertEquals(seen, [[1, [0x2000n], [16], [5, 6, 7]]]);
});

Deno.test("strings travel as UTF-8, inside structs too", NEEDS_TINY, () => {
  const seen = spyOn("vkSetDebugUtilsObjectNameEXT", (device) => {
    device.vkSetDebugUtilsObjectNameEXT({ objectType: 9, objectHandle: 5n, pObjectName: "Bims – 軽石" });
    device.vkSetDebugUtilsObjectNameEXT({ objectType: 9, objectHandle: 5n, pObjectName: null });
    assertThrows(() => device.vkGetDeviceProcAddr(7 as never), TypeError, "expected string, found number 7");
  }, (_device, info) => readCString(longsAt(info + 32n, 1)[0]));
  assertEquals(seen, ["Bims – 軽石", ""]);
});

Deno.test("a parameter named like a JavaScript keyword works in both forms", NEEDS_TINY, () => {
  const handle = 5n as vk.VkCuFunctionNVX;
  const seen = spyOn("vkDestroyCuFunctionNVX", (device) => {
    device.vkDestroyCuFunctionNVX(handle);
    device.raw.vkDestroyCuFunctionNVX(device.handle, 6n, 0n);
  }, (_device, function_) => function_);
  assertEquals(seen, [5n, 6n]);
});

Deno.test("handles are refused where null is not allowed and may be absent elsewhere", NEEDS_TINY, () => {
  const seen = spyOn("vkDestroyFence", (device, commands) => {
    for (const none of [null, undefined, 0n]) device.vkDestroyFence(none as never);
    const fence = (value: unknown) => () => void device.vkGetFenceStatus(value as vk.VkFence);
    assertThrows(fence(null), TypeError, "vkGetFenceStatus: fence: expected a handle, found nothing");
    assertThrows(fence(0n), TypeError, "VK_NULL_HANDLE is not allowed here");
    assertThrows(fence("5"), TypeError, 'expected a handle, found string "5"');
    assertThrows(fence(5), TypeError, "found number 5");
    assertThrows(fence({}), TypeError, "expected a handle");
    const execute = () => commands.vkCmdExecuteCommands(["no buffer"] as never);
    assertThrows(
      execute,
      TypeError,
      'vkCmdExecuteCommands: pCommandBuffers: expected a handle, found string "no buffer"',
    );
  }, (_device, fence) => fence);
  assertEquals(seen, [0n, 0n, 0n]);
});

Deno.test("a struct that is required may not be left out", NEEDS_TINY, () => {
  spyOn("vkCreateFence", (device) => {
    assertThrows(() => device.vkCreateFence(undefined as never), TypeError, "vkCreateFence: pCreateInfo: is required");
  }, () => 0);
});

Deno.test("optional scalars and arrays count as zero when left out", NEEDS_TINY, () => {
  const seen = spyOn("vkQueueSubmit", (device) => {
    const queue = device.vkGetDeviceQueue(0, 0);
    queue.vkQueueSubmit([]);
    queue.vkQueueSubmit(undefined as never, 9n as vk.VkFence);
  }, (_queue, count, submits, fence) => [count, submits === 0n, fence]);
  assertEquals(seen, [[0, false, 0n], [0, true, 9n]]);
});

Deno.test("numbers are checked: wrong types throw, flags may be negative, booleans are 0 or 1", NEEDS_TINY, () => {
  const seen = spyOn("vkCmdDraw", (_device, commands) => {
    commands.vkCmdDraw(-1, 5, 0, 0);
    const draw = (value: unknown) => () => commands.vkCmdDraw(value as number, 1, 0, 0);
    assertThrows(draw("3"), TypeError, "vkCmdDraw: vertexCount: expected integer from 0 to 4294967295, found string");
    assertThrows(draw(3n), TypeError, "found bigint 3n (write 3)");
    const fill = (value: unknown) => () => commands.vkCmdFillBuffer(BUFFERS[0], value as bigint, 4n, 0);
    assertThrows(fill(16), TypeError, "found number 16 (write 16n)");
  }, (_commands, vertices, instances) => [vertices, instances]);
  assertEquals(seen, [[0xffffffff, 5]]);
  const waits = spyOn("vkWaitForFences", (device) => {
    for (const all of [true, false]) device.vkWaitForFences([5n as vk.VkFence], all, 1n);
  }, (_device, _count, _fences, all) => all);
  assertEquals(waits, [1, 0]);
});
