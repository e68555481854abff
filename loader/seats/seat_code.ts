import { NativeBlock } from "../../ffi/block.ts";
import { type ExportedLibrary, exportLibrary } from "../../ffi/functions/exported.ts";
import { ALWAYS, createProcAddr, type Proc, type ProcAddr } from "../../ffi/functions/proc_addr.ts";
import { seatLayout } from "../chain/table/table_layout.ts";
import { findCommand } from "../command/registry/table.ts";
import { DEVICE_NAMES, INSTANCE_NAMES } from "../gen/command_table_gen.js";

/** Bytes of one function pointer. */
const POINTER = 8;
/** Commands that may be called with NULL for the object whose table is read. */
const NULLABLE: readonly string[] = ["vkDestroyInstance", "vkDestroyDevice"];

/** The machine code of a seat, the same for all instances and devices. */
export interface SeatCode {
  /** Address of a function that enters a command through the seat's part of its first argument's table. */
  trampoline(name: string): bigint;
  /** The trampolines of all device commands, in slot order, for a device's `shown` slots. */
  readonly shown: NativeBlock;
  /** The seat's two lookups. They return trampolines for commands of the registry that the chain below has. */
  readonly procAddr: ProcAddr;
}

const made = new Map<number, SeatCode>();

/**
 * Returns the code of the seat with this index, emitted at the first call and
 * kept; `undefined` where emitted code cannot be used.
 */
export function seatCode(index: number): SeatCode | undefined {
  let code = made.get(index);
  if (!code && (code = emit(index))) made.set(index, code);
  return code;
}

function emit(index: number): SeatCode | undefined {
  const library = exportLibrary(trampolines(index));
  const trampoline = (name: string) => library!.address(name);
  const procAddr = library && createProcAddr(misses(index), procs(index, trampoline));
  if (!procAddr) return undefined;
  return { trampoline, shown: shownSlots(library, procAddr), procAddr };
}

function trampolines(index: number) {
  const slots: [string, number][] = [];
  for (const level of ["instance", "device"] as const) {
    const { enter } = seatLayout(level, index);
    namesOf(level).forEach((name, slot) => slots.push([name, POINTER * (enter + slot)]));
  }
  return {
    trampolines: slots.filter(([name]) => !NULLABLE.includes(name)),
    nullableTrampolines: slots.filter(([name]) => NULLABLE.includes(name)),
  };
}

function misses(index: number) {
  const instance = seatLayout("instance", index), device = seatLayout("device", index);
  return {
    instanceMiss: POINTER * instance.below,
    deviceMiss: POINTER * device.below,
    deviceCheck: POINTER * (device.shown - device.enter),
  };
}

function procs(index: number, trampoline: (name: string) => bigint): Proc[] {
  const instance = seatLayout("instance", index), device = seatLayout("device", index);
  const ofInstance = namesOf("instance").map((name, slot): Proc => ({
    name,
    answer: trampoline(name),
    instance: POINTER * (instance.enter + slot),
    device: 0,
  }));
  const ofDevice = namesOf("device").map((name, slot): Proc => ({
    name,
    answer: trampoline(name),
    instance: POINTER * (instance.shown + slot),
    device: POINTER * (device.shown + slot),
  }));
  return [...ofInstance, ...ofDevice];
}

function shownSlots(library: ExportedLibrary, procAddr: ProcAddr): NativeBlock {
  const names = namesOf("device"), block = new NativeBlock(POINTER * names.length);
  names.forEach((name, slot) => block.view.setBigUint64(POINTER * slot, library.address(name), true));
  const own = findCommand("vkGetDeviceProcAddr")!.slot;
  block.view.setBigUint64(POINTER * own, procAddr.ofDevice, true);
  procAddr.set("vkGetDeviceProcAddr", procAddr.ofDevice, ALWAYS);
  return block;
}

function namesOf(level: "instance" | "device"): string[] {
  return (level === "instance" ? INSTANCE_NAMES : DEVICE_NAMES).split(" ");
}
