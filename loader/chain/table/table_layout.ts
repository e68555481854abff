import { HIDDEN_SLOTS } from "./stamps.ts";
import { NameBlob } from "../../../ffi/machine.ts";
import { DEVICE_NAMES, INSTANCE_NAMES } from "../../gen/command_table_gen.js";

/** Where the parts of a dispatch table begin, in slots. Slot 0 is the chain's first command. */
export interface TableLayout {
  /** How many commands the level has: the first part, as the chain below answers them. */
  readonly count: number;
  /** Slots that only the chain's own machine code reads. */
  readonly hidden: number;
  /** Not 0 once native code has destroyed the object behind TypeScript's back. */
  readonly gone: number;
  /** Address of what the application's callbacks gave for the object; 0 for nothing. */
  readonly kept: number;
  /** Address of the driver's name, for messages. */
  readonly driver: number;
  /** Address of a function that hears of calls of commands which are not there; 0 for none. */
  readonly heard: number;
  /** In an instance's table: not 0 if vkGetInstanceProcAddr answers for it with the commands that need none. */
  readonly globals: number;
  /** In an instance's table: what lists the device extensions of a layer, and what those of physical devices. */
  readonly layered: number;
  readonly plain: number;
  /** In an instance's table: the same two, as the lowest native layer finds them. */
  readonly layeredBelow: number;
  readonly plainBelow: number;
  /** In an instance's table: address of the list of its layers, for machine code. */
  readonly layers: number;
  /** The GetInstanceProcAddr or GetDeviceProcAddr that names in neither table are passed on to. */
  readonly below: number;
  /** The GetInstanceProcAddr or GetDeviceProcAddr of the chain, which the table was filled by. */
  readonly top: number;
  /** Address of what the instance wraps its physical devices by; 0 if it does not. */
  readonly wrapping: number;
  /** In a device's table: the chain's own commands that name objects, where others stand before them. */
  readonly naming: number;
  /** In a device's table: the vkGetDeviceProcAddr of the driver itself, for the lowest native layer. */
  readonly bottom: number;
  /** In a device's table: slots of the driver level's own, for machine code that goes by the device. */
  readonly own: number;
  /** The commands once more, as native code enters by them. */
  readonly front: number;
  /** In an instance's table: what the chain answers for the commands of the device level. */
  readonly available: number;
  /** In a device's table: what vkGetDeviceProcAddr answers for itself. */
  readonly itself: number;
  /** In a device's table: commands the registry does not know, see {@linkcode MOST_SPARE}. */
  readonly spare: number;
  /** Slots in all. */
  readonly size: number;
}

/** How many slots a device's table has for the driver level. */
const OWN_SLOTS = 24;
/** How many commands there are in a device's table that name an object. */
export const NAMING_SLOTS = 4;

/** How many device commands that the registry does not know a device's table has room for. */
export const MOST_SPARE = 250;

const layouts = new Map<string, TableLayout>();

/** The layout of the tables of a level. */
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
    size: available + (level === "instance" ? counts.device : 1 + MOST_SPARE),
  };
}

/**
 * Where, in a dispatch table, the parts of a seat begin, in slots. A seat is a
 * place below a native layer where TypeScript layers stand.
 */
export interface SeatLayout {
  /** The commands of what lies below the seat. */
  readonly next: number;
  /** The commands as the layer above enters them: a callback that runs hooks, or the same as `next`. */
  readonly enter: number;
  /**
   * In a device's table: what the layer above is told of each command. In an
   * instance's: what the chain below answers for the commands of the device level.
   */
  readonly shown: number;
  /** The GetInstanceProcAddr or GetDeviceProcAddr below, which names in neither table are passed on to. */
  readonly below: number;
}

/** How many slots each seat takes in the tables of a level. */
export function seatSize(level: "instance" | "device"): number {
  return sizeOf(tableLayout(level), tableLayout("device"));
}

/** The layout of a seat, counted from the top. */
export function seatLayout(level: "instance" | "device", index: number): SeatLayout {
  const table = tableLayout(level), { count } = table;
  const next = table.size + index * seatSize(level), enter = next + count, shown = enter + count;
  return { next, enter, shown, below: shown + tableLayout("device").count };
}

function sizeOf({ count }: TableLayout, device: TableLayout): number {
  return 2 * count + device.count + 1;
}

const blobs = new Map<string, NameBlob>();

/** The command names of a level as native memory, made at the first use and kept for the life of the process. */
export function namesOf(level: "instance" | "device"): NameBlob {
  let blob = blobs.get(level);
  if (!blob) blobs.set(level, blob = new NameBlob(level === "instance" ? INSTANCE_NAMES : DEVICE_NAMES));
  return blob;
}
