import { SPILL } from "../emit/layout.ts";
import { NativeError } from "../error.ts";
import type { NativeFunction } from "../image/image.ts";
import { spillView, takeThunk } from "./pool.ts";
import { parseSignature, type Signature } from "../signature.ts";
import { bodyMaker, bodyText, compileOwn } from "./body.ts";
import { EmittedThunk, settle, type Thunk, type ThunkOptions } from "./thunk.ts";

/** Settings of {@linkcode createTableThunk}. */
export interface TableThunkOptions extends ThunkOptions {
  /**
   * Byte offset in the first argument's dispatch table of the function that is
   * called in place of the handler if there is no `next`.
   */
  readonly nextInTable: number;
}

/**
 * A function in the dispatch tables of several objects. For each object, the
 * function runs the handler of that object's table.
 */
export interface TableThunk extends Thunk {
  /** Forgets the current handler, so that the next call asks for the handler of its table again. */
  refresh(): void;
}

/**
 * Makes a function that native code can call, from any thread, through dispatch
 * tables. Word 0 of the object behind the first argument is the address of the
 * table, and `handlerOf` returns the handler for that table. The handler is
 * kept until a call with another table or until {@linkcode TableThunk.refresh}.
 * All else is as with {@linkcode createThunk}. If the first argument is NULL,
 * the function does nothing and returns `failure`.
 *
 * Throws a {@linkcode NativeError} `unsupported` where emitted code cannot be
 * used.
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

type HandlerOf = (table: bigint) => NativeFunction;

/** The work of a thunk, and a function that makes it ask for the handler again. */
interface Picking {
  readonly run: () => void;
  readonly refresh: () => void;
}

/** Returns the work of a thunk that picks its handler by table. */
function workFor(shape: Signature, handlerOf: HandlerOf) {
  const picking = sharedPicking(shape, handlerOf);
  let own: Picking | undefined;
  return {
    shape,
    run: picking.run,
    own: () => (own = ownPicking(shape, handlerOf) ?? picking).run,
    refresh() {
      picking.refresh();
      own?.refresh();
    },
  };
}

/** The table's address is compared in halves, because two numbers make no garbage. */
function sharedPicking(shape: Signature, handlerOf: HandlerOf): Picking {
  const view = spillView(), makeBody = bodyMaker(shape, view);
  let low = 0, high = 0, body: (() => void) | undefined;
  function pick(): () => void {
    const picked = makeBody(handlerOf(view.getBigUint64(SPILL.table, true)));
    low = view.getUint32(SPILL.table, true);
    high = view.getUint32(SPILL.table + 4, true);
    return body = picked;
  }
  return {
    run() {
      const same = view.getUint32(SPILL.table, true) === low && view.getUint32(SPILL.table + 4, true) === high;
      (same && body ? body : pick())();
    },
    refresh() {
      body = undefined;
    },
  };
}

/** The same as one function, compiled for this thunk alone; `undefined` where code may not be generated. */
function ownPicking(shape: Signature, handlerOf: HandlerOf): Picking | undefined {
  const low = `view.getUint32(${SPILL.table}, true)`, high = `view.getUint32(${SPILL.table + 4}, true)`;
  const make = compileOwn(
    `return (handlerOf) => {
      let low = 0, high = 0, handler;
      const pick = () => {
        const picked = handlerOf(view.getBigUint64(${SPILL.table}, true));
        low = ${low};
        high = ${high};
        handler = picked;
      };
      return {
        run() {
          if (handler === undefined || ${low} !== low || ${high} !== high) pick();
          ${bodyText(shape)}
        },
        refresh() {
          handler = undefined;
        },
      };
    };`,
    spillView(),
  );
  return (make as ((handlerOf: HandlerOf) => Picking) | undefined)?.(handlerOf);
}
