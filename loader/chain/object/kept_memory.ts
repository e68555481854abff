import { giveBack, hasCallbacks, keepCallbacks } from "../../driver/structs/allocator.ts";
import type { DispatchTable } from "../table/dispatch_table.ts";

const VK_ERROR_OUT_OF_HOST_MEMORY = -1;

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
    else made.table.set(made.table.layout.kept, kept);
  }
  return made;
}

/** Frees the memory of an object that was just destroyed. */
export function giveBackKept(table: DispatchTable, allocator: bigint): void {
  giveBack(table.get(table.layout.kept), allocator);
}
