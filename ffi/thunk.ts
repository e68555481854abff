import { type BlockingCallback, blockingCallback, callbackAddress } from "./blocking.ts";
import { THUNK } from "./emit/layout.ts";
import { THUNK_BODIES } from "./image/enter.ts";
import type { NativeFunction } from "./image/image.ts";
import { giveThunk, type PoolEntry, spillView, takeThunk } from "./image/pool.ts";
import { threadId } from "./machine.ts";
import { PortableThunk } from "./portable/thunk.ts";
import { parseSignature, type Signature } from "./signature.ts";
import { bodyMaker } from "./thunk_body.ts";
import { openOwner, shutOwner } from "./thunk_owner.ts";

/** Settings of {@linkcode createThunk}. */
export interface ThunkOptions {
  /**
   * What a call from another thread than this isolate's does. `"skip"`, the
   * default: it goes to `next` with all its arguments, or returns `failure`.
   * `"block"`: it waits until this isolate's event loop has run the handler,
   * which deadlocks if this thread is itself waiting for that one.
   */
  onForeignThread?: "skip" | "block";
  /** Address of a function of the same signature that stands in when the handler is skipped or closed. */
  next?: bigint;
  /**
   * What native code gets when the handler throws, or is skipped or closed and
   * there is no `next`. Default: -3 (`VK_ERROR_INITIALIZATION_FAILED`) for an
   * `s` result, 0 for others. A `bigint` for a `q` result, else a number.
   */
  failure?: number | bigint;
}

/** A function native code can call and TypeScript answers. */
export interface Thunk {
  /** The function's address. */
  readonly address: bigint;
  /**
   * Ends the handler's part: later calls go to `next` or return `failure`. The
   * address stays callable, so native code that still holds it is safe. With
   * `onForeignThread: "block"` no other thread may be waiting any more. A
   * second call does nothing.
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
 * The main isolate closes its callbacks in its `unload` event; a `Worker` must
 * have closed its own before it ends.
 * Where emitted code cannot be used, calls from other threads always block.
 */
export function createThunk(signature: string, handler: NativeFunction, options: ThunkOptions = {}): Thunk {
  const shape = parseSignature(signature);
  if (shape.parameters.includes("o")) {
    throw new TypeError(`Cannot make a callback of signature "${signature}": native code passes addresses; write "q"`);
  }
  const failure = options.failure ?? defaultFailure(shape.result);
  const wanted = shape.result === "q" ? "bigint" : "number";
  const found: string = typeof failure;
  if (found !== wanted) {
    throw new TypeError(`Cannot use "failure": found a ${found}; give a ${wanted} for signature "${signature}"`);
  }
  const entry = takeThunk();
  return entry
    ? new EmittedThunk(shape, handler, { ...options, failure }, entry)
    : new PortableThunk(shape, handler, { ...options, failure });
}

function defaultFailure(result: string): number | bigint {
  return result === "q" ? 0n : result === "s" ? -3 : 0;
}

class EmittedThunk implements Thunk {
  readonly address: bigint;
  readonly #entry: PoolEntry;
  readonly #next: bigint;
  #blocking: BlockingCallback | undefined;
  #state: "open" | "closed" | "free" = "open";

  constructor(shape: Signature, handler: NativeFunction, options: ThunkOptions & Pending, entry: PoolEntry) {
    const { failure, next = 0n, onForeignThread = "skip" } = options;
    this.#entry = entry;
    this.#next = next;
    this.address = entry.address;
    const bits = failureBits(shape.result, failure);
    const run = bodyMaker(shape, spillView())(handler);
    THUNK_BODIES[entry.record.getUint32(THUNK.index, true)] = { run, failure: bits };
    if (onForeignThread === "block") this.#blocking = blockingCallback(shape, handler, failure);
    const elsewhere = this.#blocking ? callbackAddress(this.#blocking) : next;
    entry.record.setBigUint64(THUNK.failure, bits, true);
    entry.record.setBigUint64(THUNK.next, elsewhere, true);
    openOwner(entry.record, threadId());
  }

  close(): void {
    if (this.#state !== "open") return;
    this.#state = "closed";
    const { record } = this.#entry;
    shutOwner(record);
    record.setBigUint64(THUNK.next, this.#next, true);
    THUNK_BODIES[record.getUint32(THUNK.index, true)] = undefined;
    this.#blocking?.close();
  }

  free(): void {
    this.close();
    if (this.#state === "free") return;
    this.#state = "free";
    giveThunk(this.#entry);
  }

  [Symbol.dispose](): void {
    this.close();
  }
}

/** Options with the failure settled. */
interface Pending {
  failure: number | bigint;
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
