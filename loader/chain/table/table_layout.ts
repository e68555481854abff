import { LASTING } from "../../../ffi/block.ts";
import type { StampSpec } from "../../../ffi/emit/emitter.ts";
import { declareStamps, stampAddress } from "../../../ffi/functions/stamp.ts";
import { NameBlob } from "../../../ffi/machine.ts";
import { GROUP } from "../../emit/layout.ts";
import { DEVICE_NAMES, INSTANCE_NAMES } from "../../gen/command_table_gen.js";
import { offsetsOfVkCommandBufferAllocateInfo, VK_ERROR_INITIALIZATION_FAILED } from "../../gen/native_gen.ts";

/** The slots at which the parts of a dispatch table begin. Slot 0 is the chain's first command. */
export interface TableLayout {
  /** The number of commands of the level. The first part is the chain's answers for them. */
  readonly count: number;
  /** Slots that only the chain's own machine code reads. */
  readonly hidden: number;
  /** Not 0 after native code has destroyed the object without TypeScript. */
  readonly gone: number;
  /** Address of the object's memory from the application's callbacks; 0 for none. */
  readonly kept: number;
  /** Address of the driver's name, for messages. */
  readonly driver: number;
  /** Address of a function that hears of calls of missing commands; 0 for none. */
  readonly heard: number;
  /** In an instance's table: not 0 if vkGetInstanceProcAddr answers, for the instance, for commands that need none. */
  readonly globals: number;
  /**
   * In an instance's table: the function that lists the device extensions of a
   * layer, and that for physical devices.
   */
  readonly layered: number;
  readonly plain: number;
  /** In an instance's table: the same two for the lowest native layer. */
  readonly layeredBelow: number;
  readonly plainBelow: number;
  /** In an instance's table: address of the list of its layers, for machine code. */
  readonly layers: number;
  /** The GetInstanceProcAddr or GetDeviceProcAddr for names that neither table has. */
  readonly below: number;
  /** The chain's GetInstanceProcAddr or GetDeviceProcAddr, which filled the table. */
  readonly top: number;
  /** Address of the instance's wrapping of physical devices; 0 for none. */
  readonly wrapping: number;
  /** In a device's table: the chain's own commands that name objects, if others replace them. */
  readonly naming: number;
  /** In a device's table: the vkGetDeviceProcAddr of the driver itself, for the lowest native layer. */
  readonly bottom: number;
  /** In a device's table: slots of the driver level, for its machine code. */
  readonly own: number;
  /** The commands as native code enters them. */
  readonly front: number;
  /** In an instance's table: the chain's answers for device-level commands. */
  readonly available: number;
  /** In a device's table: vkGetDeviceProcAddr's answer for itself. */
  readonly itself: number;
  /** In a device's table: commands outside the registry, see {@linkcode MOST_SPARE}. */
  readonly spare: number;
  /** Address of the word by which destroying commands wait for each other, and for creating ones; 0 for none. */
  readonly alone: number;
  /** Slots in total. */
  readonly size: number;
}

/** Slots of a device's table that belong to the driver level. */
const OWN_SLOTS = 24;
/** Slots of a device's table for commands that name an object. */
const NAMING_SLOTS = 4;

/** The most device commands outside the registry in a device's table. */
export const MOST_SPARE = 250;

const layouts = new Map<string, TableLayout>();

/** Returns the layout of the tables of a level. */
export function tableLayout(level: "instance" | "device"): TableLayout {
  let layout = layouts.get(level);
  if (!layout) layouts.set(level, layout = arrange(level));
  return layout;
}

function arrange(level: "instance" | "device"): TableLayout {
  const counts = { instance: INSTANCE_NAMES.split(" ").length, device: DEVICE_NAMES.split(" ").length };
  const count = counts[level],
    gone = count + HIDDEN_SLOTS[level],
    kept = gone + 1,
    driver = kept + 1,
    heard = driver + 1,
    globals = heard + 1,
    layered = globals + 1;
  const plain = layered + 1, layeredBelow = plain + 1, plainBelow = layeredBelow + 1;
  const layers = plainBelow + 1, below = layers + 1;
  const top = below + 1, wrapping = top + 1, naming = wrapping + 1;
  const bottom = naming + NAMING_SLOTS, own = bottom + 1;
  const front = own + (level === "device" ? OWN_SLOTS : 0), available = front + count;
  const alone = available + (level === "instance" ? counts.device : 1 + MOST_SPARE);
  return {
    count,
    hidden: count,
    gone,
    kept,
    driver,
    heard,
    globals,
    layered,
    plain,
    layeredBelow,
    plainBelow,
    layers,
    below,
    top,
    wrapping,
    naming,
    bottom,
    own,
    front,
    available,
    itself: available,
    spare: available + 1,
    alone,
    size: alone + 1,
  };
}

/**
 * The slots at which the parts of a interposer begin in a dispatch table. A interposer is a
 * place below a native layer for TypeScript layers.
 */
export interface InterposerLayout {
  /** The commands below the interposer. */
  readonly next: number;
  /** The commands as the layer above enters them: a callback that runs hooks, or the same as `next`. */
  readonly enter: number;
  /**
   * In a device's table, the answers to the layer above for each command. In an
   * instance's, the answers of the chain below for device-level commands.
   */
  readonly shown: number;
  /** The GetInstanceProcAddr or GetDeviceProcAddr below, for names that neither table has. */
  readonly below: number;
}

/** Returns how many slots each interposer needs in the tables of a level. */
export function interposerSize(level: "instance" | "device"): number {
  return sizeOf(tableLayout(level), tableLayout("device"));
}

/** Returns the layout of a interposer, counted from the top. */
export function interposerLayout(level: "instance" | "device", index: number): InterposerLayout {
  const table = tableLayout(level), { count } = table;
  const next = table.size + index * interposerSize(level), enter = next + count, shown = enter + count;
  return { next, enter, shown, below: shown + tableLayout("device").count };
}

function sizeOf({ count }: TableLayout, device: TableLayout): number {
  return 2 * count + device.count + 1;
}

const blobs = new Map<string, NameBlob>();

/**
 * Returns the command names of a level in native memory, made at the first use
 * and kept for the life of the process.
 */
export function namesOf(level: "instance" | "device"): NameBlob {
  let blob = blobs.get(level);
  if (!blob) blobs.set(level, blob = new NameBlob(level === "instance" ? INSTANCE_NAMES : DEVICE_NAMES, LASTING));
  return blob;
}

/**
 * Commands that return dispatchable handles. The dispatch table has a
 * terminator for each, which calls the command in a hidden slot and then stores
 * the table's address in word 0 of the returned handles. Terminators are
 * machine code, because native code may call on any thread.
 */
type Stamped = Omit<StampSpec, "hiddenOffset" | "failure" | "refused">;

/** The result, as 32 bits, for a list without a count, as with the Khronos loader. */
const FAILURE = VK_ERROR_INITIALIZATION_FAILED >>> 0;

/** The stamped commands of an instance's table. {@linkcode UNCOUNTED} has their order, too. */
export const INSTANCE_STAMPS: readonly Stamped[] = [
  { name: "vkEnumeratePhysicalDevices", handles: "array", argument: 2, result: true },
  { name: "vkEnumeratePhysicalDeviceGroups", handles: "groups", argument: 2, result: true, groupPlaces: GROUP },
  { name: "vkEnumeratePhysicalDeviceGroupsKHR", handles: "groups", argument: 2, result: true, groupPlaces: GROUP },
];
/** The stamped commands of a device's table. */
export const DEVICE_STAMPS: readonly Stamped[] = [
  { name: "vkGetDeviceQueue", handles: "one", argument: 3, result: false },
  { name: "vkGetDeviceQueue2", handles: "one", argument: 2, result: false },
  {
    name: "vkAllocateCommandBuffers",
    handles: "allocated",
    argument: 2,
    result: true,
    lengthAt: offsetsOfVkCommandBufferAllocateInfo.commandBufferCount,
  },
];

/** Returns the terminators of both levels, with the offsets of their hidden slots. */
export function stampSpecs(): StampSpec[] {
  return [...withOffsets(INSTANCE_STAMPS, "instance"), ...withOffsets(DEVICE_STAMPS, "device")];
}

function withOffsets(stamps: readonly Stamped[], level: "instance" | "device"): StampSpec[] {
  const { hidden, heard } = tableLayout(level);
  return stamps.map((stamp, about) => ({
    ...stamp,
    hiddenOffset: 8 * (hidden + about),
    failure: FAILURE,
    ...level === "instance" && { refused: { heardOffset: 8 * heard, about } },
  }));
}

/** The Khronos loader's messages about lists without a count: of physical devices, and of groups by both names. */
export const UNCOUNTED: readonly [devices: string, ...groups: string[]] = [
  "vkEnumeratePhysicalDevices: Received NULL pointer for physical device count return value. " +
  "[VUID-vkEnumeratePhysicalDevices-pPhysicalDeviceCount-parameter]",
  ...Array(2).fill(
    "vkEnumeratePhysicalDeviceGroups: Received NULL pointer for physical device group count return value.",
  ),
];

/** Hidden slots in a table of each level. */
export const HIDDEN_SLOTS: Readonly<Record<"instance" | "device", number>> = {
  instance: INSTANCE_STAMPS.length,
  device: DEVICE_STAMPS.length,
};

/** One stamped command: the machine code in its place, and the hidden slot that the code calls. */
interface Stamp {
  /** The command's name. */
  readonly name: string;
  /** Address of the terminator. */
  readonly address: bigint;
  /** Index of the hidden slot that must hold the next element's pointer. */
  readonly hidden: number;
}

let declared = false;

/** Declares the terminators of this loader, which are in the image made beforehand. */
export function declareImage(): void {
  if (declared) return;
  declared = true;
  declareStamps(stampSpecs());
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
