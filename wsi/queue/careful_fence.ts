import type { NativeFence } from "../fence/native_fence.ts";

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
