import { anything, checkOptions, object, type OptionRules, yesOrNo } from "../check_options.ts";
import { NativeBlock } from "../block.ts";
import { CALLER, RECORD, RING, THUNK } from "../emit/layout.ts";
import { NativeError } from "../error.ts";
import { coreImage } from "../image/core.ts";
import { libcAddress } from "../libc.ts";
import { acquire64, exchange64, poke64, publish64 } from "../machine.ts";
import type { Signature } from "../signature.ts";
import type { Thunk } from "./thunk.ts";
import { GETTERS, places } from "./body.ts";

/** Settings of a {@linkcode CallRing}. */
export interface CallRingOptions {
  /**
   * The number of records in the ring, 1 to 2²⁰, rounded up to a power of
   * two. Default 1024. A record has 256 bytes and those of `extra`. The system
   * provides the memory when a record first reaches it. All memory must be
   * below 4 GiB.
   */
  records?: number;
  /** More bytes for each record, beyond the call itself. */
  extra?: {
    /** The number of bytes, up to 2¹⁶. */
    size: number;
    /**
     * Address of a function `void (void *record, void *ring)` that fills the
     * bytes. The function runs on the caller's thread, while the memory behind
     * the arguments is valid. The function must not change floating-point
     * registers.
     */
    copy: bigint;
  };
  /**
   * Whether each record says when the call was made, and by which thread. Default `false`. Not with `extra`, whose
   * bytes have the same place.
   */
  callers?: boolean;
}

const RULES: OptionRules<CallRingOptions> = {
  records: anything,
  extra: object("an object of size and copy"),
  callers: yesOrNo,
};

/** A call that was made on another thread. */
export interface RingRecord {
  /** The thunk that was called. */
  readonly thunk: Thunk;
  /** The caller's thread: the value of `threadId()` on that thread. */
  readonly thread: bigint;
  /** The arguments, as the thunk's handler would get them. */
  readonly args: (number | bigint)[];
  /** Calls that had found no free record by then, in total. */
  readonly lost: number;
  /** The record's bytes, if the ring has `extra`. The copied bytes begin at 256. */
  readonly extra: DataView<ArrayBuffer> | undefined;
  /** The time of the call, and its thread, if the ring has `callers`. */
  readonly caller: RingCaller | undefined;
}

/** The facts of a call in a ring with `callers`. */
export interface RingCaller {
  /** The time of the call, in nanoseconds of CLOCK_MONOTONIC. */
  readonly time: number;
  /** The system's number of the thread, as `gettid` returns. */
  readonly tid: number;
}

/** A thunk that records, and the reader of its arguments. */
interface Writer {
  readonly thunk: Thunk;
  readonly read: CallReader;
}

let tokens = 0n;

/**
 * A buffer for the calls that other threads make to thunks with
 * `onForeignThread: "record"`; this thread looks at them later. A call takes a
 * record without waiting and without allocating memory. When all records are
 * taken, the call is only counted, in {@linkcode CallRing.lost}. Records come out
 * in the order in which they were begun, so the calls of one thread stay in
 * order.
 *
 * @example
 * ```ts ignore
 * import { createThunk, CallRing } from "@pumice/gfx/ffi";
 *
 * using ring = new CallRing({ records: 64 });
 * const { start_threads } = Deno.dlopen("libthreads.so", {
 *   start_threads: { parameters: ["u64"], result: "void" },
 * }).symbols;
 * using thunk = createThunk("s:q", (value: bigint) => Number(value), { onForeignThread: "record", ring });
 * start_threads(thunk.address);
 * ring.drain(({ thread, args }) => console.log(thread, "called with", args));
 * if (ring.lost > 0) console.log(ring.lost, "calls were too many");
 * ```
 */
export class CallRing {
  readonly #block: NativeBlock;
  readonly #capacity: number;
  readonly #stride: number;
  readonly #callers: boolean;
  /** Writers by token. A record may come out after its thunk is closed. */
  readonly #writers = new Map<bigint, Writer>();
  /** Addresses of the data of all thunks that ever recorded here. */
  readonly #thunks = new Set<bigint>();
  #head = 0;
  #open = true;
  #lost = 0;

  /**
   * Maps the memory.
   *
   * Throws a {@linkcode NativeError} `unsupported` where emitted code cannot be
   * used.
   */
  constructor(options: CallRingOptions = {}) {
    checkOptions("Ring", options, RULES);
    const { records = 1024, callers = false } = options, extra = callers ? callerNote() : options.extra;
    if (callers && options.extra) {
      throw new TypeError("Cannot make a ring with both extra and callers: give one of them");
    }
    this.#capacity = 2 ** Math.ceil(Math.log2(Math.max(2, checked("records", records, 1 << 20))));
    this.#callers = callers;
    this.#stride = RECORD.size + (extra ? checked("extra.size", extra.size, 1 << 16) + 7 & ~7 : 0);
    const size = RING.slots + this.#capacity * this.#stride;
    if (size >= 2 ** 32) {
      throw new RangeError(`Cannot make a ring of ${size} bytes: give fewer records, or a smaller "extra.size"`);
    }
    if (!coreImage()) {
      throw new NativeError(
        "unsupported",
        'Cannot record calls of other threads: emitted code cannot be used here; use onForeignThread "block"',
      );
    }
    this.#block = new NativeBlock(size);
    const { view } = this.#block;
    view.setBigUint64(RING.mask, BigInt(this.#capacity - 1), true);
    view.setBigUint64(RING.stride, BigInt(this.#stride), true);
    view.setBigUint64(RING.copy, extra?.copy ?? 0n, true);
    if (!callers) return;
    view.setBigUint64(RING.clock, libcAddress("clock_gettime"), true);
    view.setBigUint64(RING.tid, libcAddress("gettid"), true);
  }

  /**
   * Calls that found no free record. After {@linkcode CallRing.close}, the
   * count includes records that were not drained.
   */
  get lost(): number {
    return this.#open ? this.#count(RING.lost) : this.#lost;
  }

  /**
   * Calls `handler` for each call recorded until now, oldest first, and returns
   * how many. A record is free again before its handler runs. If the handler
   * throws, the other records stay for the next call.
   */
  drain(handler: (call: RingRecord) => void): number {
    if (!this.#open) throw new NativeError("closed", "Cannot drain the ring: it is closed; drain it before close()");
    const end = this.#count(RING.tail), lost = this.#count(RING.lost);
    let count = 0;
    while (this.#open && this.#head < end && this.#isWhole()) {
      const call = this.#take(lost);
      if (!call) continue;
      count++;
      handler(call);
    }
    return count;
  }

  /** Throws if calls of a signature cannot be recorded in this ring. */
  require(shape: Signature): void {
    if (!this.#open) throw new NativeError("closed", "Cannot record in the ring: it is closed; make another");
    callReader(shape);
  }

  /** Lets the calls of a thunk into the ring. `address` is the address of the thunk's data. */
  enlist(address: bigint, thunk: Thunk, shape: Signature): void {
    const read = callReader(shape), token = ++tokens;
    this.#writers.set(token, { thunk, read });
    this.#thunks.add(address);
    poke64(address + BigInt(THUNK.token), token);
    poke64(address + BigInt(THUNK.stackCount), BigInt(read.stackCount));
    publish64(address + BigInt(THUNK.ring), this.#block.address);
  }

  /** Ends the recording of all thunks and frees the memory. A second call does nothing. */
  close(): void {
    if (!this.#open) return;
    for (const thunk of this.#thunks) this.#dismiss(thunk);
    this.#lost = this.lost + this.#count(RING.tail) - this.#head;
    this.#open = false;
    closeWhenQuiet(this.#block, this.#thunks);
  }

  /** Closes at the end of a `using` scope. */
  [Symbol.dispose](): void {
    this.close();
  }

  /** Stops the recording of a thunk, unless the thunk records in another ring by now. */
  #dismiss(thunk: bigint): void {
    const field = thunk + BigInt(THUNK.ring);
    if (acquire64(field) === this.#block.address) exchange64(field, 0n);
  }

  #count(offset: number): number {
    return Number(acquire64(this.#block.address + BigInt(offset)));
  }

  #slot(place: number): number {
    return RING.slots + (place & this.#capacity - 1) * this.#stride;
  }

  /** Whether the next record is complete. Another thread may have begun the record and not finished. */
  #isWhole(): boolean {
    return acquire64(this.#block.address + BigInt(this.#slot(this.#head))) === BigInt(this.#head + 1);
  }

  /** Reads a record and frees its slot for the next round. */
  #take(lost: number): RingRecord | undefined {
    const at = this.#slot(this.#head), { view, bytes, address } = this.#block;
    const writer = this.#writers.get(view.getBigUint64(at + RECORD.token, true));
    const call = writer && {
      thunk: writer.thunk,
      thread: view.getBigUint64(at + RECORD.thread, true),
      args: writer.read(view, at),
      lost,
      caller: this.#callers ? callerIn(view, at) : undefined,
      extra: this.#stride > RECORD.size && !this.#callers
        ? new DataView(bytes.slice(at, at + this.#stride).buffer)
        : undefined,
    };
    publish64(address + BigInt(RING.head), BigInt(++this.#head));
    return call;
  }
}

/** The bytes of a record with `callers`, and who writes them. */
function callerNote(): CallRingOptions["extra"] {
  return { size: CALLER.size, copy: coreImage()?.image.address("noteCaller") ?? 0n };
}

function callerIn(view: DataView, at: number): RingCaller {
  const seconds = Number(view.getBigInt64(at + CALLER.time, true));
  const rest = Number(view.getBigInt64(at + CALLER.time + 8, true));
  return { time: seconds * 1e9 + rest, tid: view.getInt32(at + CALLER.tid, true) };
}

function checked(name: string, value: number, most: number): number {
  if (Number.isInteger(value) && value >= 1 && value <= most) return value;
  throw new RangeError(`Cannot make a ring with ${name} ${value}: give an integer from 1 to ${most}`);
}

/** The memory of a closed ring, and the addresses of the thunks whose callers may still be writing. */
interface Retired {
  readonly block: NativeBlock;
  readonly thunks: ReadonlySet<bigint>;
}

let retired: Retired[] = [];

/**
 * Closes the memory of a ring that no thunk leads to any more, and of earlier
 * ones, once no thread uses it. Each thread announces itself before it looks
 * for the ring. Waiting for a thread would block, so memory in use is left
 * until the next ring is closed.
 */
function closeWhenQuiet(block: NativeBlock, thunks: ReadonlySet<bigint>): void {
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

/** Reads the arguments of a call from a ring's record. */
interface CallReader {
  /** The arguments of the record at a byte offset. */
  (view: DataView, at: number): (number | bigint)[];
  /** The number of arguments that were on the stack. */
  readonly stackCount: number;
}

/** Returns a reader for calls of a signature. Throws a `TypeError` if a record has no room for the arguments. */
function callReader(signature: Signature): CallReader {
  const parts = places(signature).map(({ letter, at, onStack }) => ({
    get: GETTERS[letter] as "getUint32",
    offset: at + (onStack ? RECORD.stack : RECORD.registers),
    onStack,
  }));
  const stackCount = parts.filter(({ onStack }) => onStack).length;
  if (stackCount > RECORD.stackMax) {
    throw new TypeError(
      `Cannot record calls of signature "${signature.text}": ${stackCount} arguments are on the stack; ` +
        `have at most ${RECORD.stackMax} there`,
    );
  }
  const read = (view: DataView, at: number) => parts.map(({ get, offset }) => view[get](at + offset, true));
  return Object.assign(read, { stackCount });
}
