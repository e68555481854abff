import { declareStamps, stampAddress, type StampSpec } from "../../ffi/stamp.ts";
import { declareSignatures } from "../../ffi/stubs.ts";
import { DEVICE_NAMES, INSTANCE_NAMES, SIGNATURES } from "../gen/command_table_gen.js";

/**
 * Commands that return dispatchable handles. In the dispatch table stands a
 * terminator that calls on through a hidden slot and then stores the table's
 * address in word 0 of what came back, in machine code, because native code
 * may call from any thread.
 */
type Stamped = Omit<StampSpec, "hiddenOffset">;

const INSTANCE_STAMPS: readonly Stamped[] = [
  { name: "vkEnumeratePhysicalDevices", kind: "array", argument: 2, result: true },
  { name: "vkEnumeratePhysicalDeviceGroups", kind: "groups", argument: 2, result: true },
  { name: "vkEnumeratePhysicalDeviceGroupsKHR", kind: "groups", argument: 2, result: true },
];
const DEVICE_STAMPS: readonly Stamped[] = [
  { name: "vkGetDeviceQueue", kind: "one", argument: 3, result: false },
  { name: "vkGetDeviceQueue2", kind: "one", argument: 2, result: false },
  { name: "vkAllocateCommandBuffers", kind: "allocated", argument: 2, result: true },
];

/** How many hidden slots a table of each level needs. */
export const HIDDEN_SLOTS = { instance: INSTANCE_STAMPS.length, device: DEVICE_STAMPS.length } as const;

/** One stamped command: the machine code that stands for it, and the hidden slot it calls on through. */
export interface Stamp {
  /** The command. */
  readonly name: string;
  /** Address of the terminator. */
  readonly address: bigint;
  /** Index of the hidden slot that must hold the next element's pointer. */
  readonly hidden: number;
}

let declared = false;

/** Tells the emitted image what this loader needs in it. Call before anything else makes the image exist. */
export function declareImage(): void {
  if (declared) return;
  declared = true;
  declareSignatures(SIGNATURES);
  declareStamps([...withOffsets(INSTANCE_STAMPS, INSTANCE_NAMES), ...withOffsets(DEVICE_STAMPS, DEVICE_NAMES)]);
}

const addressed = new Map<string, readonly Stamp[]>();

/** The stamped commands of a level. */
export function stampsOf(level: "instance" | "device"): readonly Stamp[] {
  let stamps = addressed.get(level);
  if (!stamps) {
    const specs = level === "instance" ? INSTANCE_STAMPS : DEVICE_STAMPS;
    stamps = specs.map(({ name }, hidden) => ({ name, address: stampAddress(name), hidden }));
    addressed.set(level, stamps);
  }
  return stamps;
}

function withOffsets(stamps: readonly Stamped[], names: string): StampSpec[] {
  const first = names.split(" ").length;
  return stamps.map((stamp, index) => ({ ...stamp, hiddenOffset: 8 * (first + index) }));
}
