import { inFrame } from "../../ffi/arena.ts";
import { peek32, peek64, poke32, poke64 } from "../../ffi/machine.ts";
import { codec } from "../codec/codec.ts";
import { layoutOf } from "../codec/layout/layout.ts";
import { VK_ERROR_INITIALIZATION_FAILED } from "../gen/native_gen.ts";
import type { AnyHook } from "../layer.ts";
import { fillArray, longsAt } from "../scripted/answer.ts";
import type { Twin } from "./twin.ts";

const GROUP = "VkPhysicalDeviceGroupProperties";
/** A query that counts or fills. */
type Ask = (count: bigint, out: bigint) => number;

/**
 * Makes the hooks that list physical devices: a twin is one device, so that one device of the drivers stands for it, and
 * the others are hidden.
 */
export function choiceHooks(twin: Twin): Record<string, AnyHook> {
  const groups: AnyHook = (next, instance, count, out) => {
    const all = groupsBelow((count, out) => next(instance, count, out));
    return answer(twin, all, (chosen) => fillArray(chosen, count, out, layoutOf(GROUP).size, putGroup));
  };
  return {
    vkEnumeratePhysicalDevices(next, instance, count, out) {
      const all = listed(8, (count, out) => next(instance, count, out), peek64);
      return answer(twin, all, (chosen) => fillArray(chosen, count, out, 8, (gpu, to) => poke64(to, gpu)));
    },
    vkEnumeratePhysicalDeviceGroups: groups,
    vkEnumeratePhysicalDeviceGroupsKHR: groups,
  };
}

/** Answers with the device that stands for the twin, or with an error. */
function answer(twin: Twin, all: readonly bigint[] | number, fill: (chosen: readonly bigint[]) => number): number {
  if (typeof all === "number") return all;
  const names = all.length > 1 || twin.below !== undefined ? all.map((gpu) => twin.gpu(gpu).driver.name) : [];
  const index = chosenIn(names, twin.below);
  if (all.length > 0 && index >= all.length) {
    const sentence = `no device is "${twin.below}"; there are ${names.map((name, at) => `${at}: ${name}`).join(", ")}`;
    return twin.refuse("vkEnumeratePhysicalDevices", VK_ERROR_INITIALIZATION_FAILED, ["below"], sentence);
  }
  if (all.length > 1) {
    const hidden = names.filter((_, at) => at !== index);
    twin.tell(`${names[index]} stands for the device of ${twin.model.origin}; hidden: ${hidden.join(", ")}`);
  }
  return fill(all.slice(index, index + 1));
}

/** The index of the device with a number or a part of a name; that of no device, if there is none. */
function chosenIn(names: readonly string[], wanted: number | string | undefined): number {
  if (wanted === undefined) return 0;
  if (/^\d+$/.test(`${wanted}`)) return Number(wanted);
  const found = names.findIndex((name) => name.toLowerCase().includes(`${wanted}`.toLowerCase()));
  return found < 0 ? names.length : found;
}

/** The devices of all groups, in their order. */
function groupsBelow(ask: Ask): bigint[] | number {
  const at = offsetsOf(GROUP);
  const groups = listed(
    layoutOf(GROUP).size,
    ask,
    (group) => longsAt(peek32(group + at.physicalDeviceCount), group + at.physicalDevices),
  );
  return typeof groups === "number" ? groups : groups.flat();
}

/** A group of one device. */
function putGroup(gpu: bigint, to: bigint): void {
  const at = offsetsOf(GROUP);
  poke32(to + at.physicalDeviceCount, 1);
  poke64(to + at.physicalDevices, gpu);
  poke32(to + at.subsetAllocation, 0);
}

function offsetsOf(struct: string): Readonly<Record<string, bigint>> {
  return Object.fromEntries(layoutOf(struct).fields.map(({ name, offset }) => [name, BigInt(offset)]));
}

/** Reads all elements of a list below, or its error. */
function listed<Read>(size: number, ask: Ask, read: (address: bigint) => Read): Read[] | number {
  return inFrame((memory) => {
    const count = memory.alloc(8), counted = ask(memory.address(count), 0n);
    if (counted < 0) return counted;
    const room = memory.view.getUint32(count, true), list = memory.alloc(size * room || 8);
    if (size > 8) { for (let index = 0; index < room; index++) codec(GROUP).encodeOut({}, list + size * index); }
    const filled = ask(memory.address(count), memory.address(list));
    if (filled < 0) return filled;
    const length = memory.view.getUint32(count, true);
    return Array.from({ length }, (_, index) => read(memory.address(list + size * index)));
  });
}
