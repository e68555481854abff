import { SPILL } from "../emit/layout.ts";
import { storeFault } from "../fault.ts";

/** Calls after which a thunk gets code of its own: what is called seldom is not worth compiling. */
const HOT = 1000;

/** What a thunk runs: reads its arguments, calls its handler, leaves the result. */
export interface ThunkBody {
  /** All of that. May throw. */
  run: () => void;
  /** The same from a text of its own. */
  readonly own: () => () => void;
  /** How often it was called, up to where it gets code of its own. */
  calls: number;
  /** What runs for a visit, the call of a thread that waits; absent: the same as for this thread. */
  readonly visited?: () => void;
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
    if (body.calls < HOT && ++body.calls === HOT) body.run = body.own();
    body.run();
  } catch (error) {
    fail(view, body, error);
  }
}

/** The same for a visit whose call lies in the view. `false` if the thunk is closed by now. */
export function enterVisit(view: DataView): boolean {
  const body = THUNK_BODIES[view.getUint32(SPILL.index, true)];
  if (body === undefined) return false;
  try {
    (body.visited ?? body.run)();
  } catch (error) {
    fail(view, body, error);
  }
  return true;
}

function fail(view: DataView, { failure }: ThunkBody, error: unknown): void {
  storeFault(error);
  view.setBigUint64(SPILL.result, failure, true); // again: a thunk called from within has used the place
}
