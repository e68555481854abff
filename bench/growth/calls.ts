import { arena, inFrame } from "../../ffi/arena.ts";
import { codec } from "../../loader/codec/codec.ts";
import { findCommand } from "../../loader/command/registry/table.ts";
import { defineLayer, type Layer } from "../../loader/mod.ts";
import type { VkDevice } from "../../loader/gen/types_core_gen.ts";
import { leastOf, type Work } from "../measure.ts";
import { deviceCommands, passingLayer } from "../mixed.ts";
import { withDevice } from "../parts.ts";
import { FLAT, LINEAR, type Subject } from "./subject.ts";

const CALLS = 200_000, STRUCTS = 2_000, ELEMENTS = 2_000_000;

/** Layers, hooks, and structs: what a single call passes through. */
export const CALL_SUBJECTS: readonly Subject[] = [
  {
    name: "layers",
    meaning: "layers that hook a command; a call of the command",
    sizes: [1, 2, 4, 8, 16, 32],
    most: LINEAR,
    cost: (size, { tiny, c }) => {
      let cost = 0;
      const layers = Array.from({ length: size }, (_, index) => passingOn(index));
      withDevice(tiny, layers, (device) => cost = leastOf(eventCalls(device), CALLS, c.thread_milliseconds));
      return cost;
    },
  },
  {
    name: "hooks",
    meaning: "commands that a layer hooks; a call of one of them",
    sizes: [1, 4, 16, 64, 256, 500],
    most: FLAT,
    cost: (size, { tiny, c }) => {
      let cost = 0;
      const layer = passingLayer([findCommand("vkGetEventStatus")!, ...deviceCommands()].slice(0, size));
      withDevice(tiny, [layer], (device) => cost = leastOf(eventCalls(device), CALLS, c.thread_milliseconds));
      return cost;
    },
  },
  {
    name: "chained structs",
    meaning: "structs in a pNext chain; the chain written",
    sizes: [1, 2, 4, 8, 16, 32, 64],
    most: LINEAR,
    cost: (size, { c }) => encoded("VkDeviceCreateInfo", { pNext: chainOf(size) }, STRUCTS, c.thread_milliseconds),
  },
  {
    name: "array",
    meaning: "structs in an array; the array written",
    sizes: [1, 10, 100, 1_000, 10_000, 100_000, 1_000_000],
    most: LINEAR,
    cost: (size, { c }) => {
      const pRegions = Array.from({ length: size }, (_, index) => ({ srcOffset: BigInt(index), size: 4n }));
      const times = Math.max(1, Math.floor(ELEMENTS / size / 10));
      return encoded("VkCopyBufferInfo2", { srcBuffer: 1n, dstBuffer: 2n, pRegions }, times, c.thread_milliseconds);
    },
  },
];

function passingOn(index: number): Layer {
  return defineLayer({
    name: `VK_LAYER_BENCH_${index}`,
    commands: { vkGetEventStatus: (next, device, event) => next(device, event) },
  });
}

function eventCalls({ raw, handle }: VkDevice): Work {
  return (times) => {
    for (let i = 0; i < times; i++) raw.vkGetEventStatus(handle, 5n);
  };
}

/** A chain whose structs follow each other without end: the same few, since no struct has so many of its own. */
function chainOf(size: number): { sType: number }[] {
  const STRUCTS_OF_DEVICES = [1000059000, 49, 51, 53];
  return Array.from({ length: size }, (_, index) => ({ sType: STRUCTS_OF_DEVICES[index % STRUCTS_OF_DEVICES.length] }));
}

function encoded(name: string, value: Record<string, unknown>, times: number, clock: () => number): number {
  const { size } = codec(name),
    work = (count: number) => {
      for (let i = 0; i < count; i++) inFrame(() => codec(name).encode(value, arena().alloc(size)));
    };
  return leastOf(work, times, clock);
}
