import { callback, checkOptions, object, oneOf, type OptionRules, typed } from "../check_options.ts";
import { THUNK } from "../emit/layout.ts";
import type { CodeRange } from "../executable.ts";
import { mindDoor } from "./door.ts";
import { bodyMaker, ownBody, THUNK_BODIES } from "./body.ts";
import type { NativeFunction } from "../image/image.ts";
import { giveThunk, type PoolEntry, spillView, takeThunk } from "./pool.ts";
import { exchange64, threadId } from "../machine.ts";
import { PortableThunk } from "../portable/thunk.ts";
import type { Ring } from "./ring.ts";
import { parseSignature, type Signature } from "../signature.ts";
import { storeAtThreadEnd } from "../thread_end.ts";

/** Settings of {@linkcode createThunk}. */
export interface ThunkOptions {
  /**
   * What a call from another thread than this isolate's does. `"skip"`, the
   * default: it goes to `next` with all its arguments, or returns `failure`.
   * `"record"`: it does the same, but is noted in `ring` before, for this
   * thread to look at later. `"block"`: it waits until this isolate's event loop
   * has run the handler, which deadlocks if this thread is itself waiting for
   * that one. When this isolate ends, those who wait go to `next`.
   */
  onForeignThread?: "skip" | "record" | "block";
  /** What `"block"` runs in the place of the handler for calls of other threads. */
  blocked?: NativeFunction;
  /** Where `"record"` puts the calls. */
  ring?: Ring;
  /** Address of a function of the same signature that stands in when the handler is skipped or closed. */
  next?: bigint;
  /**
   * What native code gets when the handler throws, or is skipped or closed and
   * there is no `next`. Default: -3 (`VK_ERROR_INITIALIZATION_FAILED`) for an
   * `s` result, 0 for others. A `bigint` for a `q` result, else a number.
   */
  failure?: number | bigint;
  /** Code whose calls skip the handler, as calls from other threads do. */
  shunned?: CodeRange;
}

const RULES: OptionRules<ThunkOptions> = {
  onForeignThread: oneOf("skip", "record", "block"),
  blocked: callback("is called for other threads"),
  ring: object("a Ring"),
  next: typed("an address (bigint)", "bigint"),
  failure: typed("a number, or a bigint", "number", "bigint"),
  shunned: object("a range of code"),
};

/** A function native code can call and TypeScript answers. */
export interface Thunk {
  /** The function's address. */
  readonly address: bigint;
  /**
   * Ends the handler's part: later calls go to `next` or return `failure`. The
   * address stays callable, so native code that still holds it is safe; a thread
   * that waits goes to `next`, too. A second call does nothing.
   */
  close(): void;
  /** Closes, and lets the address be given to another callback: only when no native code holds it. */
  free(): void;
  /** Closes at the end of a `using` scope. */
  [Symbol.dispose](): void;
}

/**
 * Makes a function native code can call, from any thread. On this isolate's
 * thread `handler` gets the arguments as the signature's letters say (`q` is a
 * `bigint`, `w` unsigned) and returns the result. What it throws is kept for
 * {@linkcode rethrowFault}, while native code gets `failure`; a result of the
 * wrong type, such as a forgotten `return`, counts as thrown.
 *
 * Throws a `TypeError` for a signature with `o`: native code passes addresses.
 *
 * When its isolate ends, in whatever way, calls go to `next` or return `failure`.
 * Where emitted code cannot be used, calls from other threads always block, and
 * there is no {@linkcode Ring} to record them in.
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
  const visited = options.blocked && make(options.blocked);
  return new EmittedThunk(entry, { shape, run, visited, own: () => ownBody(shape, view, handler) ?? run }, settled);
}

/** Makes a function that returns the same on every thread, for good: a callback that is closed already. */
export function returning(signature: string, result: number | bigint): bigint {
  const thunk = createThunk(signature, () => result, { failure: result });
  thunk.close();
  return thunk.address;
}

/**
 * The options with the failure a caller gave, or the default for the result's
 * type. Throws a `TypeError` for the wrong type, or when nothing can be recorded.
 */
export function settle<Options extends ThunkOptions>(shape: Signature, options: Options): Options & Pending {
  if (options.onForeignThread === "record") {
    if (!options.ring) throw new TypeError('Cannot record calls: "ring" is missing; give one made with new Ring()');
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

function defaultFailure(result: string): number | bigint {
  return result === "q" ? 0n : result === "s" ? -3 : 0;
}

/** What a thunk does: `run` reads the arguments from where the machine code left them, `handler` is given them. */
export interface ThunkWork {
  /** The arguments and the result. */
  readonly shape: Signature;
  /** For calls on this isolate's thread, and those of others that wait for this one. */
  readonly run: () => void;
  /** For the latter, if that is something else. */
  readonly visited?: () => void;
  /** The same, compiled for this thunk alone: see {@linkcode ThunkBody}. */
  readonly own: () => () => void;
}

/** A thunk of the pool at work. */
export class EmittedThunk implements Thunk {
  /** See {@linkcode Thunk.address}. */
  readonly address: bigint;
  readonly #entry: PoolEntry;
  readonly #shape: Signature;
  readonly #next: bigint;
  #state: "open" | "closed" | "free" = "open";

  /** Opens a thunk taken from the pool. */
  constructor(entry: PoolEntry, { shape, run, own, visited }: ThunkWork, options: ThunkOptions & Pending) {
    const { failure, next = 0n, nextInTable = -8, onForeignThread = "skip" } = options;
    const { record } = entry;
    this.#entry = entry;
    this.#shape = shape;
    this.#next = next;
    this.address = entry.address;
    const bits = failureBits(shape.result, failure);
    THUNK_BODIES[record.getUint32(THUNK.index, true)] = { run, own, visited, calls: 0, failure: bits };
    if (onForeignThread === "block") mindDoor();
    record.setBigUint64(THUNK.failure, bits, true);
    record.setBigUint64(THUNK.unanswered, next, true);
    record.setBigUint64(THUNK.next, onForeignThread === "block" ? entry.visit : next, true);
    record.setBigUint64(THUNK.nextInTable, BigInt(nextInTable + 8), true);
    record.setBigUint64(THUNK.shunned, options.shunned?.address ?? 0n, true);
    record.setBigUint64(THUNK.shunnedSize, options.shunned?.size ?? 0n, true);
    if (onForeignThread === "record") options.ring!.enlist(entry.recordAddress, this, shape);
    openOwner(entry, threadId(), next);
  }

  /** From now on, records the calls of other threads in this ring instead of in another, or nowhere. */
  recordIn(ring: Ring | undefined): void {
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
  /** What native code gets when the handler fails. */
  failure: number | bigint;
  /** Byte offset, in the first argument's dispatch table, of where others go when there is no `next`. */
  nextInTable?: number;
  /** Code whose calls are led elsewhere as those of other threads are. */
  shunned?: CodeRange;
}

/** A failure as the 64 bits both result registers get. */
function failureBits(result: string, failure: number | bigint): bigint {
  const view = new DataView(new ArrayBuffer(8));
  if (result === "q") view.setBigUint64(0, failure as bigint, true);
  else if (result === "f") view.setFloat32(0, failure as number, true);
  else if (result === "d") view.setFloat64(0, failure as number, true);
  else view.setInt32(0, failure as number, true);
  return view.getBigUint64(0, true);
}

/** What takes back, for each open thunk, what its isolate's end would have done. */
const open = new Map<DataView, () => void>();

/** Lets the owning thread in; when that ends, every caller goes to `next`, or gets the failure where there is none. */
function openOwner({ record, recordAddress }: PoolEntry, thread: bigint, next: bigint): void {
  const stores = [
    storeAtThreadEnd(recordAddress + BigInt(THUNK.next), next),
    storeAtThreadEnd(recordAddress + BigInt(THUNK.ring), 0n),
    storeAtThreadEnd(recordAddress + BigInt(THUNK.owner), 0n),
  ];
  open.set(record, () => stores.forEach((takeBack) => takeBack()));
  record.setBigUint64(THUNK.owner, thread, true);
}

/** Lets nobody in any more. */
function shutOwner(record: DataView): void {
  record.setBigUint64(THUNK.owner, 0n, true);
  open.get(record)?.();
  open.delete(record);
}
