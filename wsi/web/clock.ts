import { monotonicNow } from "../../ffi/file/file_descriptor.ts";

/** CLOCK_MONOTONIC, milliseconds: the clock of fences. */
export function milliseconds(): number {
  return Number(monotonicNow()) / 1e6;
}
