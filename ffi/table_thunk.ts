import { SPILL } from "./emit/layout.ts";
import { NativeError } from "./error.ts";
import type { NativeFunction } from "./image/image.ts";
import { spillView, takeThunk } from "./image/pool.ts";
import { peek64 } from "./machine.ts";
import { parseSignature, type Signature } from "./signature.ts";
import { bodyMaker } from "./thunk_body.ts";
import { EmittedThunk, settle, type Thunk, type ThunkOptions } from "./thunk.ts";

/** Settings of {@linkcode createTableThunk}. */
export interface TableThunkOptions extends ThunkOptions {
  /** Byte offset, in the first argument's dispatch table, of the function that stands in when there is no `next`. */
  readonly nextInTable: number;
}

/** A function that stands in the dispatch tables of several objects and does for each what that object's table wants. */
export interface TableThunk extends Thunk {
  /** Asks anew for the handler of a table, at the next call. */
  refresh(): void;
}

/**
 * Makes a function native code can call, from any thread, through dispatch
 * tables: word 0 of the object behind its first argument is the table's
 * address, and `handlerOf` says what to do for that table; its answer is kept
 * until another table comes or {@linkcode TableThunk.refresh} is called. All
 * else is as with {@linkcode createThunk}. Called with NULL as its first
 * argument it does nothing and returns `failure`.
 *
 * Throws a {@linkcode NativeError} `unsupported` where emitted code cannot be used.
 */
export function createTableThunk(
  signature: string,
  handlerOf: (table: bigint) => NativeFunction,
  options: TableThunkOptions,
): TableThunk {
  const shape = parseSignature(signature), settled = settle(shape, options), entry = takeThunk();
  if (!entry) {
    throw new NativeError(
      "unsupported",
      "Cannot make a callback for dispatch tables: emitted code cannot be used here",
    );
  }
  return new EmittedTableThunk(entry, workFor(shape, handlerOf), settled);
}

class EmittedTableThunk extends EmittedThunk implements TableThunk {
  readonly #refresh: () => void;

  constructor(entry: Parts[0], work: ReturnType<typeof workFor>, options: Parts[2]) {
    super(entry, work, options);
    this.#refresh = work.refresh;
  }

  refresh(): void {
    this.#refresh();
  }
}

type Parts = ConstructorParameters<typeof EmittedThunk>;

/** The work of a thunk that picks its handler by table; comparing halves makes no garbage. */
function workFor(shape: Signature, handlerOf: (table: bigint) => NativeFunction) {
  const view = spillView(), makeBody = bodyMaker(shape, view);
  let low = 0, high = 0, body: (() => void) | undefined;
  function pick(): () => void {
    const picked = makeBody(handlerOf(view.getBigUint64(SPILL.table, true)));
    low = view.getUint32(SPILL.table, true);
    high = view.getUint32(SPILL.table + 4, true);
    return body = picked;
  }
  return {
    shape,
    handler: (...args: unknown[]) => handlerOf(peek64(args[0] as bigint))(...args),
    run() {
      const same = view.getUint32(SPILL.table, true) === low && view.getUint32(SPILL.table + 4, true) === high;
      (same && body ? body : pick())();
    },
    refresh() {
      body = undefined;
    },
  };
}
