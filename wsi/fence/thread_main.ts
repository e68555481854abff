import type { ThreadOrders } from "./job_table.ts";

/** A job that the thread knows. */
interface Job {
  /** Index of its first 32-bit and 64-bit word. */
  readonly word: number;
  readonly quad: number;
  readonly kind: number;
  /** Done with: its place in the table may be another job's already. */
  isOver: boolean;
}

/**
 * The fence worker's thread, from its start to its end. The function's text is
 * sent to the thread, so it must not use anything outside of itself. The thread
 * then loads no module, and needs no permission to read or to import.
 */
export function threadMain({ shared, wake, libc, TABLE, STATE, KIND, STRUCTS, MOST_JOBS }: ThreadOrders): void {
  /** Nanoseconds to wait inside a driver before looking at everything else. */
  const SLICE = 2_000_000n, SHORT_SLICE = 500_000n;
  const TIMEOUT = 2, ENDED = -1, POLLIN = 1;
  const words = new Int32Array(shared), quads = new BigInt64Array(shared);
  const call = <Parameters extends Deno.NativeType[]>(address: bigint, parameters: [...Parameters]) => {
    const pointer = Deno.UnsafePointer.create(address) as Deno.PointerObject<never>;
    const bound = new Deno.UnsafeFnPointer(pointer, { parameters, result: "i64" });
    return (...args: (number | bigint)[]) => Number(BigInt.asIntN(32, (bound.call as typeof anyCall)(...args)));
  };
  const anyCall = (..._: (number | bigint)[]): bigint => 0n;
  const poll = call(libc.poll, ["u64", "u64", "i32"]), read = call(libc.read, ["i32", "u64", "u64"]);
  const write = call(libc.write, ["i32", "u64", "u64"]), close = call(libc.close, ["i32"]);
  const clock = call(libc.clock_gettime, ["i32", "u64"]), munmap = call(libc.munmap, ["u64", "u64"]);
  const mmap = new Deno.UnsafeFnPointer(Deno.UnsafePointer.create(libc.mmap) as Deno.PointerObject<never>, {
    parameters: ["u64", "u64", "i32", "i32", "i32", "i64"],
    result: "u64",
  });
  const commands = new Map<bigint, (...args: (number | bigint)[]) => number>();

  const POLLS = 256, SIZE = POLLS + 8 * (MOST_JOBS + 1);
  const memory = mmap.call(0n, BigInt(SIZE), 3, 0x22, -1, 0n);
  const view = new DataView(Deno.UnsafePointerView.getArrayBuffer(Deno.UnsafePointer.create(memory)!, SIZE));
  const SIGNAL = 0, WAIT = 32, SEMAPHORE = 80, VALUE = 88, TIME = 96, COUNT = 112; // offsets in that memory
  const { signal: signalInfo, wait: waitInfo } = STRUCTS;
  view.setUint32(SIGNAL, signalInfo.sType, true);
  view.setUint32(WAIT, waitInfo.sType, true);
  view.setUint32(WAIT + waitInfo.semaphoreCount, 1, true);
  view.setBigUint64(WAIT + waitInfo.pSemaphores, memory + BigInt(SEMAPHORE), true);
  view.setBigUint64(WAIT + waitInfo.pValues, memory + BigInt(VALUE), true);

  let jobs: Job[] = [], taken = 0;

  function now(): bigint {
    clock(1, memory + BigInt(TIME)); // CLOCK_MONOTONIC
    return view.getBigInt64(TIME, true) * 1_000_000_000n + view.getBigInt64(TIME + 8, true);
  }

  function command(job: Job): (...args: (number | bigint)[]) => number {
    const address = BigInt.asUintN(64, quads[job.quad + TABLE.command]);
    let bound = commands.get(address);
    if (bound) return bound;
    if (job.kind === KIND.signalSemaphore) bound = call(address, ["u64", "u64"]);
    else if (job.kind === KIND.semaphoreReached) bound = call(address, ["u64", "u64", "u64"]);
    else bound = call(address, ["u64", "u32", "u64", "u32", "u64"]);
    commands.set(address, bound);
    return bound;
  }

  function deviceOf(job: Job): bigint {
    return BigInt.asUintN(64, quads[job.quad + TABLE.device]);
  }

  function takePosted(): void {
    for (const posted = Atomics.load(words, TABLE.posted); taken !== posted; taken = taken + 1 | 0) {
      const at = TABLE.jobs + TABLE.jobSize * Atomics.load(words, TABLE.ring + (taken & MOST_JOBS - 1));
      jobs.push({ word: at >> 2, quad: at >> 3, kind: words[(at >> 2) + TABLE.kind], isOver: false });
    }
  }

  function finish(job: Job, result: number): void {
    const fd = words[job.word + TABLE.fd], event = words[job.word + TABLE.event];
    const time = now();
    quads[job.quad + TABLE.time] = time;
    words[job.word + TABLE.result] = result;
    if (event >= 0) {
      view.setBigInt64(COUNT, time, true); // the counter keeps the time of the signal
      write(event, memory + BigInt(COUNT), 8n);
      close(event);
    }
    if (fd >= 0) close(fd);
    if (job.kind === KIND.descriptorReadable && quads[job.quad + TABLE.object] >= 0n) {
      close(Number(quads[job.quad + TABLE.object]));
    }
    job.isOver = true;
    Atomics.store(words, job.word + TABLE.state, STATE.done);
    Atomics.notify(words, job.word + TABLE.state);
    Atomics.sub(words, TABLE.alive, 1);
  }

  function isCancelled(job: Job): boolean {
    return Atomics.load(words, job.word + TABLE.state) === STATE.cancelled;
  }

  function signalSemaphore(job: Job): number {
    view.setBigInt64(SIGNAL + signalInfo.semaphore, quads[job.quad + TABLE.object], true);
    view.setBigInt64(SIGNAL + signalInfo.value, quads[job.quad + TABLE.value], true);
    return command(job)(deviceOf(job), memory + BigInt(SIGNAL));
  }

  /** Continues with a job's second file descriptor, if there is one. */
  function watchNext(job: Job): boolean {
    const next = Number(quads[job.quad + TABLE.object]);
    if (next < 0) return false;
    close(words[job.word + TABLE.fd]);
    words[job.word + TABLE.fd] = next;
    quads[job.quad + TABLE.object] = -1n;
    return true;
  }

  /** Calls the driver's wait with a limit. Returns VK_SUCCESS, VK_TIMEOUT or an error. */
  function wait(job: Job, nanoseconds: bigint): number {
    const device = deviceOf(job);
    view.setBigInt64(SEMAPHORE, quads[job.quad + TABLE.object], true);
    if (job.kind === KIND.fenceSignaled) {
      return command(job)(device, 1, memory + BigInt(SEMAPHORE), 1, nanoseconds);
    }
    view.setBigInt64(VALUE, quads[job.quad + TABLE.value], true);
    return command(job)(device, memory + BigInt(WAIT), nanoseconds);
  }

  /** Waits for file descriptors, and to be woken; milliseconds, negative for ever. Does the jobs that are due. */
  function pollFor(watching: Job[], milliseconds: number): void {
    const put = (index: number, fd: number) => {
      view.setInt32(POLLS + 8 * index, fd, true);
      view.setUint32(POLLS + 8 * index + 4, POLLIN, true);
    };
    put(0, wake);
    watching.forEach((job, index) => put(index + 1, words[job.word + TABLE.fd]));
    if (poll(memory + BigInt(POLLS), BigInt(watching.length + 1), milliseconds) <= 0) return;
    if (view.getUint16(POLLS + 6, true) !== 0) read(wake, memory + BigInt(COUNT), 8n);
    watching.forEach((job, index) => {
      if (view.getUint16(POLLS + 8 * index + 14, true) === 0 || isCancelled(job)) return;
      if (job.kind === KIND.signalSemaphore) finish(job, signalSemaphore(job));
      else if (!watchNext(job)) finish(job, 0);
    });
  }

  /** Asks for every job of a driver's, then waits for the oldest: waiting for any of them is a busy loop in some drivers. */
  function waitFor(waiting: Job[], slice: bigint): void {
    let oldest: Job | undefined, ended = 0;
    const ask = (job: Job, nanoseconds: bigint) => {
      const result = isCancelled(job) ? TIMEOUT : wait(job, nanoseconds);
      if (result === TIMEOUT) return false;
      finish(job, result);
      return ++ended > 0;
    };
    for (const job of waiting) if (!ask(job, 0n)) oldest ??= job;
    if (oldest && ended === 0) ask(oldest, slice);
  }

  function isLeft(job: Job): boolean {
    return !job.isOver;
  }

  function isInDriver({ kind }: Job): boolean {
    return kind === KIND.semaphoreReached || kind === KIND.fenceSignaled;
  }

  function turn(): void {
    const watching = jobs.filter((job) => !isInDriver(job)), waiting = jobs.filter(isInDriver);
    pollFor(watching, waiting.length > 0 ? 0 : -1);
    if (waiting.length > 0) waitFor(waiting, watching.length > 0 ? SHORT_SLICE : SLICE);
  }

  Atomics.store(words, TABLE.running, 1);
  Atomics.notify(words, TABLE.running);
  while (Atomics.load(words, TABLE.stop) === 0) {
    takePosted();
    for (const job of jobs) if (isCancelled(job)) finish(job, 0);
    jobs = jobs.filter(isLeft);
    if (jobs.length > 0) turn();
    else if (Atomics.compareExchange(words, TABLE.alive, 0, ENDED) === 0) break;
    else pollFor([], -1);
    jobs = jobs.filter(isLeft);
  }
  takePosted();
  for (const job of jobs) finish(job, 0);
  Atomics.store(words, TABLE.alive, ENDED);
  close(wake);
  munmap(memory, BigInt(SIZE));
  Atomics.store(words, TABLE.running, 2);
  Atomics.notify(words, TABLE.running);
}
