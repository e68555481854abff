import { type ExportedLibrary, exportLibrary } from "../../../ffi/functions/exported.ts";
import { publish64 } from "../../../ffi/machine.ts";
import { procOf } from "../../../ffi/library/library.ts";
import { DEVICE_NAMES } from "../../gen/command_table_gen.js";
import type { DispatchTable } from "./dispatch_table.ts";
import { MOST_SPARE, tableLayout } from "./table_layout.ts";

/** Bytes of one function pointer. */
const POINTER = 8;

let library: ExportedLibrary | null | undefined;
/** Commands outside the registry, in the order of their slots. */
const spare: string[] = [];
/** The live devices, by their tables. */
const open = new Map<DispatchTable, bigint>();

/**
 * Makes the functions that {@linkcode deviceTrampoline} returns. Not for use
 * inside a callback. Returns `false` where emitted code cannot be used.
 */
export function prepareDeviceTrampolines(): boolean {
  if (library === undefined) {
    const slots = DEVICE_NAMES.split(" ").map((name, slot): [string, number] => [name, POINTER * slot]);
    const { spare: first } = tableLayout("device");
    for (let index = 0; index < MOST_SPARE; index++) slots.push([spareName(index), POINTER * (first + index)]);
    library = exportLibrary({ trampolines: slots }) ?? null;
  }
  return library !== null;
}

/**
 * Returns a function that carries out a device command, in the registry or not,
 * for the device in its first argument. vkGetInstanceProcAddr returns it if the
 * devices of one instance belong to several drivers. `undefined` after
 * {@linkcode MOST_SPARE} unknown commands.
 */
export function deviceTrampoline(name: string, isKnown: boolean): bigint | undefined {
  if (!library) return undefined;
  return isKnown ? library.address(name) : spareTrampoline(name, library);
}

/** Notes a device, and fills in the unknown commands met so far. */
export function enterDevice(table: DispatchTable, device: bigint): void {
  open.set(table, device);
  spare.forEach((_, index) => fillSpare(table, device, index));
}

/** Forgets a device. */
export function leaveDevice(table: DispatchTable): void {
  open.delete(table);
}

function spareTrampoline(name: string, { address }: ExportedLibrary): bigint | undefined {
  let index = spare.indexOf(name);
  if (index < 0) {
    if (spare.length === MOST_SPARE) return undefined;
    index = spare.push(name) - 1;
    for (const [table, device] of open) fillSpare(table, device, index);
  }
  return address(spareName(index));
}

function fillSpare(table: DispatchTable, device: bigint, index: number): void {
  const found = procOf(table.get(table.layout.below), device, spare[index]);
  publish64(table.address + BigInt(POINTER * (table.layout.spare + index)), found);
}

function spareName(index: number): string {
  return `spare${index}`;
}
