import { inFrame } from "../../../ffi/arena.ts";
import { NativeBlock } from "../../../ffi/block.ts";
import { closeDescriptor, createPipe, errorName, lastError } from "../../../ffi/file/file_descriptor.ts";
import { addressOf, callLibc } from "../../../ffi/invoke.ts";
import { failWith, STATUS } from "../status.ts";
import { NUMBERS, ORDER, PLACE, threadMain, type ThreadMessage, type ThreadOrders, WORD } from "./thread_main.ts";

/** A command for the driver. */
export interface Writing {
  readonly block: NativeBlock;
  /** Bytes of the command at the block's begin. */
  readonly length: number;
  /** Called when the driver has taken it, and what it returned at once was heard. */
  readonly taken?: () => void;
}

/** A thread that the kernel's driver knows. */
export interface BinderThread<Call> {
  /** Whether the thread takes new calls from other processes. */
  readonly isLooper: boolean;
  /** The calls that the thread is in, the innermost last: the kernel ends them in that order. */
  readonly calls: Call[];
  /** Writes to the driver from the thread, which closes the block. */
  write(writing: Writing, kind: Kind): void;
}

/** A call that waits for its answer, an answer, or neither. */
export type Kind = "call" | "reply" | "oneway";

/** This thread's side of a thread that the kernel's driver knows. */
export class DriverThread<Call> implements BinderThread<Call> {
  readonly isLooper: boolean;
  readonly calls: Call[] = [];
  readonly #worker: Worker;
  readonly #memory: NativeBlock = new NativeBlock(PLACE.size);
  readonly #pipe: { readonly read: number; readonly write: number };
  readonly #words = new Int32Array(new SharedArrayBuffer(4 * WORD.size));
  readonly #ended = Promise.withResolvers<void>();
  /** Blocks that the driver has not taken yet, as far as this thread knows. */
  readonly #written: NativeBlock[] = [];
  readonly #telling: (() => void)[] = [];
  #reclaimed = 0;
  #isEnding = false;

  /** Starts the thread. `hear` gets what the thread tells. */
  constructor(device: number, isLooper: boolean, hear: (thread: DriverThread<Call>, message: ThreadMessage) => void) {
    this.isLooper = isLooper;
    this.#pipe = createPipe() ??
      failWith(STATUS.NO_MEMORY, `cannot start a thread for binder: ${errorName(lastError())}; close files first`);
    this.#worker = new Worker(moduleAddress(), { type: "module", name: isLooper ? "binder looper" : "binder call" });
    this.#worker.onmessage = ({ data }: MessageEvent<ThreadMessage>) => {
      if (data.kind === "ended") this.#ended.resolve();
      if (data.kind === "ended" && this.#isEnding) return;
      if (data.kind === "taken") this.#telling.shift()?.();
      else hear(this, data);
    };
    const libc = { ioctl: "ioctl", poll: "poll", read: "read", errno: ERRNO } as const;
    const addresses = Object.fromEntries(Object.entries(libc).map(([name, symbol]) => [name, addressOf(symbol)]));
    const orders: ThreadOrders = {
      device,
      orders: this.#pipe.read,
      memory: this.#memory.address,
      isLooper,
      words: this.#words,
      libc: addresses as unknown as ThreadOrders["libc"],
      PLACE,
      ORDER,
      NUMBERS,
      WORD,
    };
    this.#worker.postMessage(orders);
  }

  write(writing: Writing, kind: Kind): void {
    this.#reclaim();
    this.#written.push(writing.block);
    if (writing.taken) this.#telling.push(writing.taken);
    const tell = writing.taken ? ORDER.tell : 0;
    this.#order(writing.block.address, writing.length, tell | FLAGS[kind]);
  }

  /** Answers a looper that found work: whether this thread has read it. */
  goOn(isRead: boolean): void {
    Atomics.store(this.#words, WORD.reader, isRead ? WORD.otherThread : WORD.looper);
    Atomics.notify(this.#words, WORD.reader);
  }

  /** Asks the thread to end unless it has found a call meanwhile. `hear` is told if it has ended. */
  endIfIdle(): void {
    this.#order(0n, 0, ORDER.endIfIdle);
  }

  /** Ends the thread; resolves when it has ended. */
  async end(): Promise<void> {
    this.#isEnding = true;
    this.#order(0n, 0, ORDER.end);
    await this.#ended.promise;
    this.#worker.terminate();
    closeDescriptor(this.#pipe.read);
    closeDescriptor(this.#pipe.write);
    this.#memory.close();
    this.#written.splice(0).forEach((block) => block.close());
    this.#telling.splice(0).forEach((tell) => tell());
  }

  #order(address: bigint, length: number, flags: number): void {
    inFrame((memory) => {
      const at = memory.alloc(ORDER.size);
      memory.view.setBigUint64(at + ORDER.address, address, true);
      memory.view.setUint32(at + ORDER.length, length, true);
      memory.view.setUint32(at + ORDER.flags, flags, true);
      // ssize_t write(int fd, const void *buf, size_t count): a pipe takes so few bytes whole
      callLibc("write", "q:soq", this.#pipe.write, at, BigInt(ORDER.size));
    });
  }

  #reclaim(): void {
    const taken = Atomics.load(this.#words, WORD.taken);
    this.#written.splice(0, taken - this.#reclaimed).forEach((block) => block.close());
    this.#reclaimed = taken;
  }
}

const FLAGS: Readonly<Record<Kind, number>> = { call: ORDER.expectsAnswer, reply: ORDER.replies, oneway: 0 };
const ERRNO = Deno.build.os === "android" ? "__errno" : "__errno_location";

/** The thread's module is its own address: nothing is read or fetched for it. */
function moduleAddress(): string {
  const source = `onmessage = ({ data }) => {
  try { (${threadMain})(data, postMessage); }
  catch (error) { postMessage({ kind: "failed", errno: 0, during: String(error) }); }
  finally { postMessage({ kind: "ended" }); close(); }
};`;
  return `data:text/javascript,${encodeURIComponent(source)}`;
}
