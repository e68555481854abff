import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { allocatedBytes } from "./allocated.ts";

/** Bytes of memory outside the heap after whose release another collection may release as many. */
const MUCH = 3 * 1024 * 1024;

/** V8's `gc`, from the first collection on: the context that it is taken from takes memory of its own. */
let collect: (() => void) | undefined;

/**
 * Collects the garbage that scripts have left behind. One call of `gc` goes through the heap twice, since buffers go in
 * the second pass; another call is needed only after a release of many buffers.
 */
export function collectGarbage(): void {
  collect ??= exposeGc();
  let before: number;
  do {
    before = allocatedBytes();
    collect();
  } while (before - allocatedBytes() > MUCH);
}

function exposeGc(): () => void {
  setFlagsFromString("--expose-gc");
  return runInNewContext("gc");
}
