/**
 * Callbacks: functions that native code can call from any thread and at any
 * time, and TypeScript answers. Native code never holds a `Deno.UnsafeCallback`,
 * because a thread that is not the isolate's would end the process there, and
 * because Deno frees callbacks before native code can know. What native code
 * holds is the address of a thunk: sixteen bytes in an image that stays loaded,
 * and a record (`THUNK` in `../emit/layout.ts`) that says what is to happen now.
 *
 * ```text
 *  native code calls the thunk's address, with arguments in registers and on the stack
 *      |
 *  thunk[i]              load the address of record[i]; jump to the body that all thunks share
 *      |
 *  gate                  is this the record's owner, the isolate's thread?
 *      |                 and is the caller none whose calls skip the handler (shunned)?
 *      |
 *      +-- yes --> spill           all argument registers go to the isolate's one block (SPILL),
 *      |             |             with the failure as the result, should nobody set another
 *      |           callback        the one UnsafeCallback of the isolate; it gets no arguments
 *      |             |
 *      |           THUNK_BODIES[i] reads them, runs the handler, stores the result (body.ts)
 *      |             |
 *      |           the result goes to the integer and to the floating-point register; return
 *      |
 *      +-- no ---> the load method of a foreign call
 *                    |
 *                  ring?           "record": note the call in a slot of the ring (ring.ts); go on
 *                    |
 *                  next?           jump there with every argument as it came: the next function
 *                    |             of the chain ("skip"), or `crossing` ("block", below)
 *                    |
 *                  nextInTable?    jump to the function in the dispatch table of the first argument
 *                    |
 *                  return the failure
 *
 *  crossing                 the foreign thread's own block (CROSSING) is on its stack
 *      |
 *  spill there; hang the crossing on the gate's list; ring the bell; sleep (a futex)
 *      |                                              |
 *      |                                  the gate's keeper, a thread that runs no JavaScript,
 *      |                                  raises SIGURG, and the isolate's event loop comes to the
 *      |                                  gate (gate.ts), reads the crossing and runs the handler
 *      |                                              |
 *      +-- answered <---------------------------------+--> ordered: the caller makes a native call
 *      |     return the result                             that must be made on its thread, sleeps again
 *      |
 *      +-- refused, because the isolate ends: all arguments again; continue at `unanswered`
 * ```
 *
 * The gate and the tails read the record anew at each call, so that closing a
 * thunk is a store of 0 as the owner: from then on every thread is foreign, and
 * the address stays good. When the isolate's thread ends, `../thread_end.ts`
 * makes the same stores without JavaScript. The machine code is in
 * `../emit/thunk.ts`, that of the ring in `../emit/x64/ring.ts` and
 * `../emit/a64/ring.ts`, and that of the gate in `../emit/door.ts`.
 *
 * @module
 */
import { callback, checkOptions, object, oneOf, type OptionRules, typed } from "../check_options.ts";
import { THUNK } from "../emit/layout.ts";
import type { CodeRange } from "../executable.ts";
import { gateName, mindGate } from "./cross_thread_gate.ts";
import { bodyMaker, ownBody, THUNK_BODIES } from "./body.ts";
import type { NativeFunction } from "../image/image.ts";
import { giveThunk, type PoolEntry, spillView, takeThunk } from "./pool.ts";
import { exchange64, threadId } from "../machine.ts";
import { PortableThunk } from "../portable.ts";
import type { CallRing } from "./ring.ts";
import { parseSignature, type Signature } from "../signature.ts";
import { storeAtThreadEnd } from "../thread_end.ts";

/** Settings of {@linkcode createThunk}. */
export interface ThunkOptions {
  /**
   * The treatment of a call on another thread than this isolate's. `"skip"`, the default: the call goes to `next` with
   * all its arguments, or returns `failure`. `"record"`: the same, and the call is also noted in `ring`, for this
   * thread to look at later. `"block"`: the caller waits until this isolate's event loop has run the handler. That is a
   * deadlock if this thread is waiting for the caller. When this isolate ends, waiting calls go to `next`.
   */
  onForeignThread?: "skip" | "record" | "block";
  /** With `"block"`, what a caller that waits long is told that it has called, such as the name of a command. */
  name?: string;
  /** With `"block"`, runs in place of the handler for calls on other threads. */
  blocked?: NativeFunction;
  /** With `"record"`, the ring that takes the calls. */
  ring?: CallRing;
  /** Address of a function of the same signature that is called when the handler is skipped or closed. */
  next?: bigint;
  /**
   * The value that native code gets if the handler throws, or if the handler is
   * skipped or closed and there is no `next`. A `bigint` for a `q` result, else
   * a number. Default: -3 (`VK_ERROR_INITIALIZATION_FAILED`) for an `s` result,
   * 0 for others.
   */
  failure?: number | bigint;
  /** Machine code whose calls skip the handler, as calls from other threads do. */
  shunned?: CodeRange;
}

const RULES: OptionRules<ThunkOptions> = {
  onForeignThread: oneOf("skip", "record", "block"),
  name: typed("a text", "string"),
  blocked: callback("is called for other threads"),
  ring: object("a Ring"),
  next: typed("an address (bigint)", "bigint"),
  failure: typed("a number, or a bigint", "number", "bigint"),
  shunned: object("a range of code"),
};

/** A function that native code can call and TypeScript answers. */
export interface Thunk {
  /** The function's address. */
  readonly address: bigint;
  /**
   * Disconnects the handler: later calls go to `next` or return `failure`, and
   * so do calls that wait. The address stays callable, so native code that
   * still holds it is safe. A second call does nothing.
   */
  close(): void;
  /**
   * Closes the thunk and lets another callback take the address. Call this
   * method only when no native code holds the address.
   */
  free(): void;
  /** Closes at the end of a `using` scope. */
  [Symbol.dispose](): void;
}

/**
 * Makes a function that native code can call from any thread. On this isolate's
 * thread, `handler` gets the arguments as the letters of the signature say (`q`
 * is a `bigint`, `w` unsigned) and returns the result. An error that the
 * handler throws is kept for {@linkcode rethrowFault}, and native code gets
 * `failure`. A result of the wrong type, such as a forgotten `return`, counts
 * as an error.
 *
 * Throws a `TypeError` for a signature with `o`: native code passes addresses.
 *
 * When the isolate ends, in whatever way, calls go to `next` or return
 * `failure`. Where emitted code cannot be used, calls from other threads always
 * block, and there is no {@linkcode CallRing} to record them in.
 *
 * @example
 * ```ts
 * import { bindByAddress, createThunk } from "@pumice/gfx/ffi";
 * import { assertEquals } from "@std/assert";
 *
 * using thunk = createThunk("w:ww", (one, other) => Number(one) + Number(other), { failure: 9 });
 * const call = bindByAddress("w:ww");
 * assertEquals(call(1, 2, thunk.address), 3);
 * thunk.close();
 * assertEquals(call(1, 2, thunk.address), 9);
 * ```
 */
export function createThunk(signature: string, handler: NativeFunction, options: ThunkOptions = {}): Thunk {
  checkOptions("createThunk()", options, RULES);
  const shape = parseSignature(signature);
  if (shape.parameters.includes("o")) {
    throw new TypeError(`Cannot make a callback of signature "${signature}": native code passes addresses; write "q"`);
  }
  const settled = settle(shape, options), entry = takeThunk();
  if (!entry) return new PortableThunk(shape, handler, settled);
  const view = spillView(), make = bodyMaker(shape, view), run = make(handler);
  const crossed = options.blocked && make(options.blocked);
  return new EmittedThunk(entry, { shape, run, crossed, own: () => ownBody(shape, view, handler) ?? run }, settled);
}

/** Makes a function that always returns the same value, on every thread: a callback that is closed at once. */
export function returning(signature: string, result: number | bigint): bigint {
  const thunk = createThunk(signature, () => result, { failure: result });
  thunk.close();
  return thunk.address;
}

/**
 * Returns the options with the given failure, or with the default for the
 * result's type. Throws a `TypeError` for a failure of the wrong type, or if
 * calls cannot be recorded.
 */
export function settle<Options extends ThunkOptions>(shape: Signature, options: Options): Options & Pending {
  if (options.onForeignThread === "record") {
    if (!options.ring) throw new TypeError('Cannot record calls: "ring" is missing; give one made with new CallRing()');
    options.ring.require(shape);
  }
  return { ...options, failure: settledFailure(shape, options) };
}

function settledFailure(shape: Signature, options: ThunkOptions): number | bigint {
  const failure = options.failure ?? defaultFailure(shape.result);
  const wanted = shape.result === "q" ? "bigint" : "number";
  const found: string = typeof failure;
  if (found === wanted) return failure;
  throw new TypeError(`Cannot use "failure": found a ${found}; give a ${wanted} for signature "${shape.text}"`);
}

/** Returns the result after an error, by the letter of the result. */
export function defaultFailure(result: string): number | bigint {
  return result === "q" ? 0n : result === "s" ? -3 : 0;
}

/** The work of a thunk: `run` reads the arguments from where the machine code left them, and calls `handler`. */
export interface ThunkWork {
  /** The arguments and the result. */
  readonly shape: Signature;
  /** Runs for calls on this isolate's thread, and for calls of other threads that wait for this one. */
  readonly run: () => void;
  /** Runs for calls of waiting threads, if they need something else than `run`. */
  readonly crossed?: () => void;
  /** The same as `run`, compiled for this thunk alone: see {@linkcode ThunkBody}. */
  readonly own: () => () => void;
}

/** An open thunk of the pool. */
export class EmittedThunk implements Thunk {
  /** See {@linkcode Thunk.address}. */
  readonly address: bigint;
  readonly #entry: PoolEntry;
  readonly #shape: Signature;
  readonly #next: bigint;
  #state: "open" | "closed" | "free" = "open";

  /** Opens a thunk taken from the pool. */
  constructor(entry: PoolEntry, { shape, run, own, crossed }: ThunkWork, options: ThunkOptions & Pending) {
    const { failure, next = 0n, nextInTable = -8, onForeignThread = "skip" } = options;
    const { record } = entry;
    this.#entry = entry;
    this.#shape = shape;
    this.#next = next;
    this.address = entry.address;
    const bits = failureBits(shape.result, failure);
    THUNK_BODIES[record.getUint32(THUNK.index, true)] = { run, own, crossed, calls: 0, failure: bits };
    if (onForeignThread === "block") mindGate();
    const isNamed = onForeignThread === "block" && options.name !== undefined;
    record.setBigUint64(THUNK.name, isNamed ? gateName(options.name!) : 0n, true);
    record.setBigUint64(THUNK.failure, bits, true);
    record.setBigUint64(THUNK.unanswered, next, true);
    record.setBigUint64(THUNK.next, onForeignThread === "block" ? entry.crossing : next, true);
    record.setBigUint64(THUNK.nextInTable, BigInt(nextInTable + 8), true);
    record.setBigUint64(THUNK.shunned, options.shunned?.address ?? 0n, true);
    record.setBigUint64(THUNK.shunnedSize, options.shunned?.size ?? 0n, true);
    if (onForeignThread === "record") options.ring!.enlist(entry.recordAddress, this, shape);
    openOwner(entry, threadId(), next);
  }

  /** Records the calls of other threads in this ring from now on, instead of in another ring or nowhere. */
  recordIn(ring: CallRing | undefined): void {
    const { recordAddress } = this.#entry;
    if (ring) ring.enlist(recordAddress, this, this.#shape);
    else exchange64(recordAddress + BigInt(THUNK.ring), 0n);
  }

  /** See {@linkcode Thunk.close}. */
  close(): void {
    if (this.#state !== "open") return;
    this.#state = "closed";
    const { record } = this.#entry;
    shutOwner(record);
    if (record.getBigUint64(THUNK.ring, true) !== 0n) this.recordIn(undefined);
    record.setBigUint64(THUNK.next, this.#next, true);
    THUNK_BODIES[record.getUint32(THUNK.index, true)] = undefined;
  }

  /** See {@linkcode Thunk.free}. */
  free(): void {
    this.close();
    if (this.#state === "free") return;
    this.#state = "free";
    giveThunk(this.#entry);
  }

  /** Closes at the end of a `using` scope. */
  [Symbol.dispose](): void {
    this.close();
  }
}

/** Options with the failure settled. */
export interface Pending {
  /** The result for native code if the handler fails. */
  failure: number | bigint;
  /** Byte offset, in the first argument's dispatch table, of the function for other threads if there is no `next`. */
  nextInTable?: number;
  /** Machine code whose calls are redirected like those of other threads. */
  shunned?: CodeRange;
}

/** Returns a failure as the 64 bits of both result registers. */
function failureBits(result: string, failure: number | bigint): bigint {
  const view = new DataView(new ArrayBuffer(8));
  if (result === "q") view.setBigUint64(0, failure as bigint, true);
  else if (result === "f") view.setFloat32(0, failure as number, true);
  else if (result === "d") view.setFloat64(0, failure as number, true);
  else view.setInt32(0, failure as number, true);
  return view.getBigUint64(0, true);
}

/** For each open thunk, the function that cancels its clean-up at the end of the isolate. */
const open = new Map<DataView, () => void>();

/**
 * Lets calls of the owning thread reach the handler. When that thread ends,
 * every call goes to `next`, or returns the failure if there is no `next`.
 */
function openOwner({ record, recordAddress }: PoolEntry, thread: bigint, next: bigint): void {
  const stores = [
    storeAtThreadEnd(recordAddress + BigInt(THUNK.next), next),
    storeAtThreadEnd(recordAddress + BigInt(THUNK.ring), 0n),
    storeAtThreadEnd(recordAddress + BigInt(THUNK.owner), 0n),
  ];
  open.set(record, () => stores.forEach((takeBack) => takeBack()));
  record.setBigUint64(THUNK.owner, thread, true);
}

/** Keeps all calls from the handler. */
function shutOwner(record: DataView): void {
  record.setBigUint64(THUNK.owner, 0n, true);
  open.get(record)?.();
  open.delete(record);
}
