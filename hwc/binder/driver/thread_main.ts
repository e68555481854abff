/** The orders of a thread of the driver at its start. The text of {@linkcode threadMain} uses nothing else. */
export interface ThreadOrders {
  /** The device. */
  readonly device: number;
  /** The read end of the pipe that orders come through. */
  readonly orders: number;
  /** Memory for {@linkcode PLACE}. */
  readonly memory: bigint;
  /** Whether the thread takes new calls from other processes. */
  readonly isLooper: boolean;
  /** Words of {@linkcode WORD}. */
  readonly words: Int32Array<SharedArrayBuffer>;
  readonly libc: { readonly [Name in "ioctl" | "poll" | "read" | "errno"]: bigint };
  readonly PLACE: typeof PLACE;
  readonly ORDER: typeof ORDER;
  readonly NUMBERS: typeof NUMBERS;
  readonly WORD: typeof WORD;
}

/** Offsets in the thread's memory; the layout is ours. */
export const PLACE = {
  writeRead: 0,
  polls: 48,
  order: 64,
  extended: 96,
  enter: 112,
  read: 128,
  readSize: 1024,
  size: 1152,
};
/** An order: what to write to the driver, and how. */
export const ORDER = {
  address: 0,
  length: 8,
  flags: 12,
  size: 16,
  expectsAnswer: 1,
  tell: 2,
  end: 4,
  replies: 8,
  endIfIdle: 16,
};
/** Shared words: how many orders the driver has taken; who reads the work that a looper found, and the answers to that. */
export const WORD = { taken: 0, reader: 1, size: 2, nobodyYet: 0, otherThread: 1, looper: 2 };
/** The few numbers of the driver's that the thread itself must know. */
export const NUMBERS = {
  WRITE_READ: 0xc0306201n,
  THREAD_EXIT: 0x40046208n,
  EXTENDED_ERROR: 0xc00c6211n,
  ENTER_LOOPER: 0x630c,
  EXIT_LOOPER: 0x630d,
  QUIET: [0x720c, 0x7206, 0x720d],
  ANSWERS: [0x80407203, 0x7205, 0x7211, 0x7212],
  CALLS: [0x80487202, 0x80407202],
  FAILED_REPLY: 0x7211,
};

/** A message from a thread. */
export type ThreadMessage =
  | { readonly kind: "returns"; readonly bytes: Uint8Array; readonly error: number }
  | { readonly kind: "taken" }
  | { readonly kind: "work" }
  | { readonly kind: "failed"; readonly errno: number; readonly during: string }
  | { readonly kind: "ended" };

/**
 * One thread that the kernel's driver knows, from its start to its end. The driver keeps calls by thread, and a call
 * without a thread of its own changes threads: so this one polls, reads and writes, and knows nothing of objects. It
 * writes what an order points at, and posts what the driver returns. Work that any thread may take is offered to the other
 * side first, which answers sooner if it reads the work itself. The function's text is sent to the thread.
 */
export function threadMain(
  { device, orders, memory, isLooper, words, libc, PLACE, ORDER, NUMBERS, WORD }: ThreadOrders,
  post: (message: ThreadMessage) => void,
): void {
  const POLLIN = 1, EINTR = 4, EAGAIN = 11;
  const bind = (address: bigint, parameters: Deno.NativeType[], result: "i32" | "i64" | "u64") =>
    new Deno.UnsafeFnPointer(Deno.UnsafePointer.create(address) as Deno.PointerObject<never>, { parameters, result });
  const ioctlPointer = bind(libc.ioctl, ["i32", "u64", "u64"], "i32");
  const pollPointer = bind(libc.poll, ["u64", "u64", "i32"], "i32");
  const readPointer = bind(libc.read, ["i32", "u64", "u64"], "i64");
  const errnoPointer = bind(libc.errno, [], "u64");
  const ioctl = (request: bigint, at: number) => ioctlPointer.call(device, request, memory + BigInt(at)) as number;
  const errno = () => {
    const pointer = Deno.UnsafePointer.create(errnoPointer.call() as bigint)!;
    return new Deno.UnsafePointerView(pointer).getInt32();
  };
  const view = new DataView(Deno.UnsafePointerView.getArrayBuffer(Deno.UnsafePointer.create(memory)!, PLACE.size));
  const bytes = new Uint8Array(view.buffer);
  /** Calls of this thread that wait for an answer, and those that it must answer. */
  let waiting = 0, serving = 0, isOver = false;

  function put(index: number, fd: number): void {
    view.setInt32(PLACE.polls + 8 * index, fd, true);
    view.setUint32(PLACE.polls + 8 * index + 4, POLLIN, true);
  }

  /** Writes, and reads what there is if there is room. The driver takes the written part even if nothing can be read. */
  function exchange(address: bigint, length: number, room: number = PLACE.readSize): void {
    view.setBigUint64(PLACE.writeRead, BigInt(length), true);
    view.setBigUint64(PLACE.writeRead + 8, 0n, true);
    view.setBigUint64(PLACE.writeRead + 16, address, true);
    view.setBigUint64(PLACE.writeRead + 24, BigInt(room), true);
    view.setBigUint64(PLACE.writeRead + 32, 0n, true);
    view.setBigUint64(PLACE.writeRead + 40, memory + BigInt(PLACE.read), true);
    const failed = ioctl(NUMBERS.WRITE_READ, PLACE.writeRead) < 0 ? errno() : 0;
    if (failed !== 0 && failed !== EAGAIN && failed !== EINTR) {
      return post({ kind: "failed", errno: failed, during: length > 0 ? "a write" : "a read" });
    }
    const consumed = Number(view.getBigUint64(PLACE.writeRead + 8, true));
    if (consumed < length) return exchange(address + BigInt(consumed), length - consumed, room);
    take(Number(view.getBigUint64(PLACE.writeRead + 32, true)));
  }

  /** Posts what was read, unless it says nothing. */
  function take(size: number): void {
    let says = false, error = 0;
    for (let at = 0; at + 4 <= size;) {
      const command = view.getUint32(PLACE.read + at, true);
      if (!NUMBERS.QUIET.includes(command)) says = true;
      // The flags of the call say whether there will be a reply.
      if (NUMBERS.CALLS.includes(command) && (view.getUint32(PLACE.read + at + 24, true) & 1) === 0) serving++;
      if (NUMBERS.ANSWERS.includes(command)) waiting = Math.max(0, waiting - 1);
      if (command === NUMBERS.FAILED_REPLY) error = extendedError();
      at += 4 + (command >>> 16 & 0x3fff);
    }
    if (says) post({ kind: "returns", bytes: bytes.slice(PLACE.read, PLACE.read + size), error });
  }

  /** Returns the failure of this thread's last call, a negative errno; 0 where the kernel does not tell. */
  function extendedError(): number {
    return ioctl(NUMBERS.EXTENDED_ERROR, PLACE.extended) < 0 ? 0 : view.getInt32(PLACE.extended + 8, true);
  }

  function obey(): void {
    const size = readPointer.call(orders, memory + BigInt(PLACE.order), BigInt(ORDER.size)) as bigint;
    if (size !== BigInt(ORDER.size)) return void (isOver = true); // the other side is gone
    const address = view.getBigUint64(PLACE.order + ORDER.address, true);
    const length = view.getUint32(PLACE.order + ORDER.length, true);
    const flags = view.getUint32(PLACE.order + ORDER.flags, true);
    if (flags & ORDER.end) return void (isOver = true);
    if (flags & ORDER.endIfIdle) return void (isOver = waiting + serving === 0); // a call may have come meanwhile
    if (flags & ORDER.expectsAnswer) waiting++;
    if (flags & ORDER.replies) serving--;
    exchange(address, length);
    Atomics.add(words, WORD.taken, 1);
    if (flags & ORDER.tell) post({ kind: "taken" });
  }

  /** Whether the other side takes the work that a poll reported. */
  function isTaken(): boolean {
    if (waiting + serving > 0) return false;
    Atomics.store(words, WORD.reader, WORD.nobodyYet);
    post({ kind: "work" });
    Atomics.wait(words, WORD.reader, WORD.nobodyYet);
    return Atomics.load(words, WORD.reader) === WORD.otherThread;
  }

  /** Writes a word, and reads nothing: a thread that ends must take no call. */
  function say(word: number): void {
    view.setUint32(PLACE.enter, word, true);
    exchange(memory + BigInt(PLACE.enter), 4, 0);
  }

  // Any request but a read tells the driver this thread, whose poll would else report work that there is not.
  if (isLooper) say(NUMBERS.ENTER_LOOPER);
  while (!isOver) {
    put(0, orders);
    put(1, isLooper || waiting > 0 ? device : -1);
    if ((pollPointer.call(memory + BigInt(PLACE.polls), 2n, -1) as number) < 0) continue;
    if (view.getUint16(PLACE.polls + 6, true) !== 0) obey();
    else if (view.getUint16(PLACE.polls + 14, true) !== 0 && !isTaken()) exchange(0n, 0);
  }
  if (isLooper) say(NUMBERS.EXIT_LOOPER);
  ioctl(NUMBERS.THREAD_EXIT, PLACE.extended); // the driver does not see the end of a thread
}
