import { assertEquals, assertThrows } from "@std/assert";
import { arena, inFrame } from "../../../ffi/arena.ts";
import { codec } from "../../../loader/codec/codec.ts";
import type { VkCommandBuffer, VkDevice } from "../../../loader/types.ts";
import { spyOn } from "../spy.ts";
import { NEEDS_TINY } from "../tiny.ts";

/** Values at and beyond the ends of each kind, and what becomes of those that fit. */
const KINDS = {
  u32: {
    good: [[0, 0], [2 ** 32 - 1, 2 ** 32 - 1], [-1, 2 ** 32 - 1], [-(2 ** 31), 2 ** 31], [-0, 0]],
    bad: [2 ** 32, 2 ** 32 + 3, -(2 ** 31) - 1, 1.9, NaN, Infinity, 3n, "3", {}],
  },
  i32: {
    good: [[0, 0], [2 ** 31 - 1, 2 ** 31 - 1], [-(2 ** 31), -(2 ** 31)], [-0, 0]],
    bad: [2 ** 31, -(2 ** 31) - 1, 0.5, NaN, 3n, "3"],
  },
  u64: {
    good: [[0n, 0n], [2n ** 64n - 1n, 2n ** 64n - 1n], [~0n, 2n ** 64n - 1n], [2n ** 63n, 2n ** 63n]],
    bad: [2n ** 64n, 2n ** 64n + 64n, -(2n ** 63n) - 1n, 2n ** 200n, 16, "16", {}],
  },
  f32: { good: [[0.5, 0.5], [-Infinity, -Infinity], [NaN, NaN]], bad: [1n, "1", {}] },
  bool: { good: [[true, 1], [false, 0], [1, 1], [0, 0]], bad: [2, -1, "true", 1n, {}] },
} as const;

/** A command with a parameter of each kind; which of its arguments that is. */
const PARAMETERS: Record<keyof typeof KINDS, { command: Spied; index: number; use: Use }> = {
  u32: {
    command: "vkCmdDraw",
    index: 1,
    use: (_device, commands, value) => commands.vkCmdDraw(value as number, 1, 0, 0),
  },
  i32: {
    command: "vkCmdDrawIndexed",
    index: 4,
    use: (_device, commands, value) => commands.vkCmdDrawIndexed(1, 1, 0, value as number, 0),
  },
  u64: {
    command: "vkCmdFillBuffer",
    index: 2,
    use: (_device, commands, value) => commands.vkCmdFillBuffer(5n as never, value as bigint, 4n, 0),
  },
  f32: {
    command: "vkCmdSetLineWidth",
    index: 1,
    use: (_device, commands, value) => commands.vkCmdSetLineWidth(value as number),
  },
  bool: {
    command: "vkWaitForFences",
    index: 3,
    use: (device, _commands, value) => void device.vkWaitForFences([5n as never], value as boolean, 1n),
  },
};
type Spied = Parameters<typeof spyOn>[0];
type Use = (device: VkDevice, commands: VkCommandBuffer, value: unknown) => void;

/** A struct with a member of each kind. */
const MEMBERS: Record<keyof typeof KINDS, [struct: string, member: string]> = {
  u32: ["VkExtent2D", "width"],
  i32: ["VkOffset2D", "x"],
  u64: ["VkMemoryRequirements", "size"],
  f32: ["VkViewport", "x"],
  bool: ["VkPhysicalDeviceFeatures", "robustBufferAccess"],
};

for (const [kind, { good, bad }] of Object.entries(KINDS) as [keyof typeof KINDS, typeof KINDS.u32][]) {
  Deno.test(`a parameter takes what fits in ${kind}, and refuses the rest`, NEEDS_TINY, () => {
    const { command, index, use } = PARAMETERS[kind];
    const seen = spyOn(command, (device, commands) => {
      for (const [value] of good) use(device, commands, value);
      for (const value of bad) {
        assertThrows(() => use(device, commands, value), TypeError, `${command}: `, String(value));
      }
    }, (...args) => args[index]);
    assertEquals(seen, good.map(([, passed]) => passed));
  });

  Deno.test(`a struct's member takes what fits in ${kind}, and refuses the rest`, () => {
    const [struct, member] = MEMBERS[kind], { size, encode, decode } = codec(struct);
    inFrame((memory) => {
      const at = memory.alloc(size);
      for (const [value, passed] of good) {
        encode({ [member]: value }, at);
        assertEquals(decode(at)[member], kind === "bool" ? passed === 1 as number : passed);
      }
      for (const value of bad) {
        assertThrows(() => encode({ [member]: value }, at), TypeError, `${struct}.${member}: expected`, String(value));
      }
    });
  });
}

Deno.test("a member of 64 bits within a large struct, behind a pointer and in an array is refused alike", () => {
  const wide = 2n ** 64n + 64n, memory = arena();
  const cases: [string, Record<string, unknown>, string][] = [
    ["VkImageMemoryBarrier2", { image: 1n, srcStageMask: wide }, "srcStageMask"],
    ["VkTimelineSemaphoreSubmitInfo", { pSignalSemaphoreValues: [1n, wide] }, "pSignalSemaphoreValues[1]"],
    ["VkPhysicalDeviceLimits", { bufferImageGranularity: wide }, "bufferImageGranularity"],
    ["VkCopyMemoryToImageInfo", { dstImage: 1n, pRegions: [{ pHostPointer: 1n, memoryRowLength: wide }] }, "memoryRow"],
  ];
  for (const [name, object, place] of cases) {
    const { size, encode } = codec(name);
    inFrame(() => assertThrows(() => encode(object, memory.alloc(size)), TypeError, place));
  }
});

Deno.test("results that the arena has no room for are refused before the driver is asked", NEEDS_TINY, () => {
  const seen = spyOn("vkGetQueryPoolResults", (device) => {
    const get = (size: unknown) => () => device.vkGetQueryPoolResults(5n as never, 0, 2, size as number, 8n, 0);
    for (const size of [2 ** 31, 2 ** 32, 2 ** 32 + 8, 2n ** 40n]) assertThrows(get(size), RangeError, "Arena is full");
    for (const size of [-1, 1.5, NaN, "8", 2n ** 64n]) assertThrows(get(size), TypeError, "dataSize: expected size");
    get(16)();
  }, (...args) => args[4]);
  assertEquals(seen, [16n]);
});
