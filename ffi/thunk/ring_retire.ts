import type { NativeBlock } from "../block.ts";
import { THUNK } from "../emit/layout.ts";
import { acquire64 } from "../machine.ts";

/** Memory of a closed ring, and the records of the thunks whose callers may still be there. */
interface Retired {
  readonly block: NativeBlock;
  readonly thunks: ReadonlySet<bigint>;
}

let retired: Retired[] = [];

/**
 * Closes the memory of a ring that no thunk leads to any more, and of earlier
 * ones, once no thread is there: a thread says that it comes before it looks
 * for the ring. To wait for one would be to block, so what it still holds is
 * left until the next ring is closed.
 */
export function closeWhenQuiet(block: NativeBlock, thunks: ReadonlySet<bigint>): void {
  retired.push({ block, thunks });
  retired = retired.filter((each) => {
    if (!isQuiet(each)) return true;
    each.block.close();
    return false;
  });
}

function isQuiet({ thunks }: Retired): boolean {
  return [...thunks].every((thunk) => acquire64(thunk + BigInt(THUNK.busy)) === 0n);
}
