import type { NativeFence } from "../fence/native_fence.ts";

/** Whether nobody needs to wait for a fence: it is signalled, or broken and never will be. */
export function isOver(fence: NativeFence): boolean {
  try {
    return fence.poll();
  } catch {
    return true;
  }
}

/** When a fence signalled; `undefined` if it has not, nobody knows, or it is broken. */
export function timeOver(fence: NativeFence): bigint | undefined {
  try {
    return fence.signalTime;
  } catch {
    return undefined;
  }
}

/** A fence that is signalled when the other one is; `undefined` when there are no file descriptors left. */
export function tryDuplicate(fence: NativeFence): NativeFence | undefined {
  try {
    return fence.dup();
  } catch {
    return undefined;
  }
}
