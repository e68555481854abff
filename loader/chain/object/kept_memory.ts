import { isTable } from "../../../ffi/functions/table_sets.ts";
import { peek64 } from "../../../ffi/machine.ts";
import {
  appendKept,
  giveBack,
  giveBackAll,
  hasCallbacks,
  keepCallbacks,
  prependKept,
  removeKept,
} from "../../driver/structs/allocator.ts";
import type { DispatchTable } from "../table/dispatch_table.ts";
import { VK_ERROR_OUT_OF_HOST_MEMORY } from "../../gen/native_gen.ts";
import { tableLayout } from "../table/table_layout.ts";

/** Bytes of one function pointer. */
const POINTER = 8;

/**
 * Creates an object with memory from the application's callbacks, if there are
 * some, for the life of the object. The memory is freed at once if no object is
 * created.
 */
export function keeping<Made extends { readonly table: DispatchTable }>(
  type: string,
  allocator: bigint,
  make: () => Made | number,
): Made | number {
  if (!hasCallbacks(allocator)) return make();
  const kept = keepCallbacks(allocator, type);
  if (kept === 0n) return VK_ERROR_OUT_OF_HOST_MEMORY;
  let made: Made | number = VK_ERROR_OUT_OF_HOST_MEMORY;
  try {
    made = make();
  } finally {
    if (typeof made === "number") giveBack(kept, allocator);
    else appendKept(keptOf(made.table), kept); // behind what layers' messengers have kept already
  }
  return made;
}

/** Frees the memory of an object that was just destroyed. */
export function giveBackKept(table: DispatchTable, allocator: bigint): void {
  giveBackAll(keptOf(table), allocator);
}

/**
 * Has an instance keep memory of the application's callbacks: what is left of the memory is freed when the instance is
 * destroyed, on whatever thread. `instance` is the driver's own.
 */
export function keepFor(instance: bigint, kept: bigint): void {
  const first = listOf(instance);
  if (first !== 0n && kept !== 0n) prependKept(first, kept);
}

/** Undoes {@linkcode keepFor}. */
export function keepNoLonger(instance: bigint, kept: bigint): void {
  const first = listOf(instance);
  if (first !== 0n && kept !== 0n) removeKept(first, kept);
}

/** Address of the list in the table of an instance; 0n while the instance has none. */
function listOf(instance: bigint): bigint {
  const table = peek64(instance);
  return isTable("instance", table) ? table + BigInt(POINTER * tableLayout("instance").kept) : 0n;
}

function keptOf({ address, layout }: DispatchTable): bigint {
  return address + BigInt(POINTER * layout.kept);
}
