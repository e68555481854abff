import { WsiError } from "../error.ts";
import type { NativeFence } from "./native_fence.ts";

/** Whether nobody needs to wait for a fence: the fence is signalled, or broken, which means that it never will be. */
export function isOver(fence: NativeFence): boolean {
  try {
    return fence.poll();
  } catch {
    return true;
  }
}

/** The time at which a fence was signalled; `undefined` for a pending or broken fence, and for an unknown time. */
export function timeOver(fence: NativeFence): bigint | undefined {
  try {
    return fence.signalTime;
  } catch {
    return undefined;
  }
}

/** A duplicate of a fence; `undefined` if there are no file descriptors left. */
export function tryDuplicate(fence: NativeFence): NativeFence | undefined {
  try {
    return fence.dup();
  } catch {
    return undefined;
  }
}

/**
 * Prepares a fence for native code that imports fences as kernel drivers do, which know only sync_files: waits for any
 * other fence, at most for a number of milliseconds. Returns whether {@linkcode takeSyncFile} may follow.
 */
export function settleForKernel(fence: NativeFence, milliseconds: number): boolean {
  return fence.kind === "sync_file" || isOverWithin(fence, milliseconds);
}

/**
 * Waits at most for a number of milliseconds. Returns whether the fence needs no more waiting; a broken fence needs
 * none.
 */
export function isOverWithin(fence: NativeFence, milliseconds: number): boolean {
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
