import { SPILL } from "../emit/layout.ts";
import { storeFault } from "../fault.ts";

/** What a thunk runs: reads its arguments, calls its handler, leaves the result. */
export interface ThunkBody {
  /** All of that. May throw. */
  readonly run: () => void;
  /** The result, as 64 bits, when it throws. */
  readonly failure: bigint;
}

/** The bodies of all thunks by index; `undefined` for those not in use. */
export const THUNK_BODIES: (ThunkBody | undefined)[] = [];

/** Runs the body of the thunk that native code called. Nothing is thrown from here: native code would not notice. */
export function enterThunk(view: DataView): void {
  const body = THUNK_BODIES[view.getUint32(SPILL.index, true)];
  if (body === undefined) return; // closed since the gate; the failure is in place already
  try {
    body.run();
  } catch (error) {
    storeFault(error);
    view.setBigUint64(SPILL.result, body.failure, true); // again: a thunk called from within has used the place
  }
}
