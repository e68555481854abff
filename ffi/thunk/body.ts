import { INTEGER_REGISTERS, SPILL } from "../emit/layout.ts";
import type { NativeFunction } from "../image/image.ts";
import { peek32, peek64 } from "../machine.ts";
import { generated, ownMark } from "../generated_code.ts";
import type { Signature } from "../signature.ts";
import { storeFault } from "../error.ts";

/** Makes the body of a thunk around a handler. */
export type BodyMaker = (handler: NativeFunction) => () => void;

/** The method of a view that reads an argument, by letter. */
export const GETTERS: Readonly<Record<string, string>> = {
  q: "getBigUint64",
  w: "getUint32",
  s: "getInt32",
  f: "getFloat32",
  d: "getFloat64",
};
const SETTERS: Record<string, string> = {
  q: "setBigUint64",
  w: "setUint32",
  s: "setInt32",
  f: "setFloat32",
  d: "setFloat64",
};

const makers = new Map<string, BodyMaker>();

/** Returns the maker of bodies for a signature: compiled where code may be generated from text, otherwise a closure. */
export function bodyMaker(signature: Signature, view: DataView): BodyMaker {
  const known = makers.get(signature.text);
  if (known) return known;
  let maker: BodyMaker;
  try {
    maker = compiledMaker(signature, view);
  } catch (error) {
    if (!(error instanceof EvalError)) throw error;
    maker = closureMaker(signature, view);
  }
  makers.set(signature.text, maker);
  return maker;
}

/** The place of an argument: in the block, or on the native stack. */
export interface Place {
  /** The letter of the argument's type. */
  readonly letter: string;
  /** Byte offset in the block, or from the first argument on the stack. */
  readonly at: number;
  /** Whether the argument is on the native stack. */
  readonly onStack: boolean;
}

/** Returns the place of each argument of a signature. */
export function places(signature: Signature): Place[] {
  const registers = INTEGER_REGISTERS[Deno.build.arch] ?? 8;
  let integers = 0, floats = 0;
  return Array.from(signature.parameters, (letter) => {
    if (letter === "f" || letter === "d") return { letter, at: SPILL.floats + 8 * floats++, onStack: false };
    const index = integers++;
    if (index >= registers) return { letter, at: 8 * (index - registers), onStack: true };
    return { letter, at: SPILL.integers + 8 * index, onStack: false };
  });
}

/** Makes one straight-line function that reads every argument at a literal offset of one view. */
export function compiledMaker(signature: Signature, view: DataView): BodyMaker {
  return compileBody(`return (handler) => () => { ${bodyText(signature)} };`, view) as BodyMaker;
}

/** Returns statements that call `handler` with the arguments and store the result. */
export function bodyText(signature: Signature): string {
  const args = places(signature).map(({ letter, at, onStack }) =>
    onStack ? `fromStack(${at}n, "${letter}")` : `view.${GETTERS[letter]}(${at}, true)`
  );
  const call = `handler(${args.join(", ")})`, { result, text } = signature;
  if (result === "v") return `${call};`;
  return `view.${SETTERS[result]}(${SPILL.result}, checked(${call}, "${result}", "${text}"), true);`;
}

/**
 * Evaluates text that contains {@linkcode bodyText}. Throws an `EvalError`
 * where code may not be generated from text.
 */
export function compileBody(text: string, view: DataView): unknown {
  return generated(text, { view, fromStack: stackReader(view), checked }, "callback");
}

/** Like {@linkcode compileBody}, with a text that no other code shares; `undefined` where code may not be generated. */
export function compileOwn(text: string, view: DataView): unknown {
  try {
    return compileBody(text + ownMark("callback"), view);
  } catch (error) {
    if (error instanceof EvalError) return undefined;
    throw error;
  }
}

/**
 * Returns the body of a thunk around a handler, compiled for this thunk alone;
 * `undefined` where code may not be generated.
 */
export function ownBody(signature: Signature, view: DataView, handler: NativeFunction): (() => void) | undefined {
  const make = compileOwn(`return (handler) => () => { ${bodyText(signature)} };`, view) as BodyMaker | undefined;
  return make?.(handler);
}

/** Makes the same without generated code. */
export function closureMaker(signature: Signature, view: DataView): BodyMaker {
  const fromStack = stackReader(view);
  const readers = places(signature).map(({ letter, at, onStack }) =>
    onStack ? () => fromStack(BigInt(at), letter) : reader(view, letter, at)
  );
  const { result, text } = signature;
  if (result === "v") return (handler) => () => void handler(...readers.map((read) => read()));
  const write = view[SETTERS[result] as "setUint32"].bind(view);
  return (handler) => () =>
    write(SPILL.result, checked(handler(...readers.map((read) => read())), result, text) as number, true);
}

function reader(view: DataView, letter: string, at: number): () => number | bigint {
  const get = view[GETTERS[letter] as "getUint32"].bind(view);
  return () => get(at, true);
}

function stackReader(view: DataView): (offset: bigint, letter: string) => number | bigint {
  return (offset, letter) => {
    const address = view.getBigUint64(SPILL.stack, true) + offset;
    if (letter === "q") return peek64(address);
    return letter === "s" ? peek32(address) | 0 : peek32(address);
  };
}

/** Without this check a forgotten `return` would read as 0, which is `VK_SUCCESS`. */
function checked(value: unknown, letter: string, text: string): number | bigint {
  if (letter === "q" ? typeof value === "bigint" : typeof value === "number") return value as number | bigint;
  const found = value instanceof Promise ? "a Promise" : value === null ? "null" : typeof value;
  const wanted = letter === "q" ? "a bigint" : "a number";
  throw new TypeError(`Cannot return ${found} from a callback of signature "${text}": return ${wanted}`);
}

/** Number of calls after which a thunk gets code of its own. Compiling a rarely called thunk does not pay. */
const HOT = 1000;

/** The TypeScript part of a thunk: reads the arguments, calls the handler, stores the result. */
export interface ThunkBody {
  /** Does all of these. May throw. */
  run: () => void;
  /** Returns the same as `run`, compiled from a text of its own. */
  readonly own: () => () => void;
  /** The number of calls, counted until the thunk gets code of its own. */
  calls: number;
  /** Runs for a crossing, the call of a waiting thread. Default: `run`. */
  readonly crossed?: () => void;
  /** The result after an error, as 64 bits. */
  readonly failure: bigint;
}

/** The bodies of all thunks by index; `undefined` for unused indices. */
export const THUNK_BODIES: (ThunkBody | undefined)[] = [];

/** Runs the body of the thunk that native code called. Never throws, because native code would not notice. */
export function enterThunk(view: DataView): void {
  const body = THUNK_BODIES[view.getUint32(SPILL.index, true)];
  if (body === undefined) return; // closed after the call had passed the gate; the failure is the result already
  try {
    if (body.calls < HOT && ++body.calls === HOT) body.run = body.own();
    body.run();
  } catch (error) {
    fail(view, body, error);
  }
}

/**
 * Like {@linkcode enterThunk}, for a crossing whose call is in the view. Returns
 * `false` if the thunk is closed by now.
 */
export function enterCrossing(view: DataView): boolean {
  const body = THUNK_BODIES[view.getUint32(SPILL.index, true)];
  if (body === undefined) return false;
  try {
    (body.crossed ?? body.run)();
  } catch (error) {
    fail(view, body, error);
  }
  return true;
}

function fail(view: DataView, { failure }: ThunkBody, error: unknown): void {
  storeFault(error);
  view.setBigUint64(SPILL.result, failure, true); // written again, because a nested thunk has used the same memory
}
