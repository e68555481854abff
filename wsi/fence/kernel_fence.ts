import { WsiError } from "../error.ts";
import type { NativeFence } from "./native_fence.ts";

/**
 * Makes a fence fit for native code that imports what it gets, as kernel
 * drivers do, who know sync_files alone: anything else is waited for, at most
 * so many milliseconds. Whether {@linkcode takeSyncFile} may follow.
 */
export function settleForKernel(fence: NativeFence, milliseconds: number): boolean {
  return fence.kind === "sync_file" || isOver(fence, milliseconds);
}

/** Waits at most so many milliseconds; whether nobody has to wait for the fence any more. A broken one is over. */
export function isOver(fence: NativeFence, milliseconds: number): boolean {
  try {
    return fence.wait(milliseconds);
  } catch (error) {
    if (error instanceof WsiError) return true;
    throw error;
  }
}

/** Gives up the file descriptor of a fence that is settled, which the caller then owns: a sync_file, or -1. The fence is closed. */
export function takeSyncFile(fence: NativeFence): number {
  const fd = fence.kind === "sync_file" ? fence.take() : -1;
  fence.close();
  return fd;
}
