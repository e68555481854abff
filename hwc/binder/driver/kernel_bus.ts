import { AsyncLocalStorage } from "node:async_hooks";
import type { MemoryReserve } from "../../../ffi/block.ts";
import { SpareMemory } from "../../../ffi/spare_memory.ts";
import type { BinderBus, LocalObject, Message, RemoteObject } from "../bus.ts";
import { BinderStatusError, failWith, STATUS } from "../status.ts";
import { Commands } from "./commands.ts";
import type { Device } from "./device.ts";
import { type BinderThread, DriverThread } from "./driver_thread.ts";
import { failureOf } from "./failure.ts";
import { LocalObjects } from "./local_objects.ts";
import { discard, Incoming } from "./read_message.ts";
import { OwnThread } from "./own_thread.ts";
import { type KernelRemote, RemoteObjects } from "./remote_objects.ts";
import { RestingThreads } from "./resting_threads.ts";
import { closeReply, IncomingCall, OutgoingCall } from "./calls.ts";
import type { ThreadMessage } from "./thread_main.ts";
import { BC, BR, FLAG, payloadSize } from "./uapi.ts";
import { type Numbers, type Transaction, writeCall, writeReply, writeStatus } from "./write_message.ts";

type Thread = BinderThread<IncomingCall | OutgoingCall>;
type OtherThread = DriverThread<IncomingCall | OutgoingCall>;

/** Calls at one time in either direction. */
const MOST_THREADS = 32;
/** Threads that wait for good: those that take calls, and those for calls of this process. */
const LOOPERS_KEPT = 1, CALLERS_KEPT = 2;
/** Bytes of a message whose memory is given back with what is written next: one request less. All leave half of the room. */
const FREED_LATER = 1 << 14;
const NOTHING: Message = { bytes: new Uint8Array(0), items: [] };

/** Settings of {@linkcode openBinder}. */
export interface BinderOptions {
  /** Milliseconds that a call waits for its answer. Default 10000. */
  readonly timeout?: number;
  /** Gets a sentence about what nobody else hears of, such as a reply that could not be sent. Default: no messages. */
  readonly log?: (message: string) => void;
}

/** The numbers of things of others and of this process that a bus keeps. */
export interface BinderCounts {
  /** Objects of this process that others know. */
  readonly locals: number;
  /** Objects of others that this process holds. */
  readonly remotes: number;
  /** Threads that the kernel's driver knows, besides this one. */
  readonly threads: number;
}

/** A bus over the kernel's driver. */
export class KernelBus implements BinderBus {
  readonly #device: Device;
  readonly #timeout: number;
  readonly #log: (message: string) => void;
  readonly #commands: Commands;
  readonly #locals: LocalObjects = new LocalObjects();
  readonly #remotes: RemoteObjects;
  readonly #own: OwnThread<IncomingCall | OutgoingCall>;
  readonly #threads = new Set<OtherThread>();
  readonly #resting = new RestingThreads<OtherThread>(CALLERS_KEPT, (thread) => this.#dismiss(thread));
  /** Loopers that wait for calls: who is in one is not among them. */
  readonly #listening = new RestingThreads<OtherThread>(LOOPERS_KEPT, (thread) => thread.endIfIdle());
  readonly #ending = new Set<Promise<void>>();
  readonly #memory = new SpareMemory();
  /** The call that the running code answers: what it calls itself goes out from the same thread. */
  readonly #answering = new AsyncLocalStorage<IncomingCall>();
  #closing: Promise<void> | undefined;

  /** Use {@linkcode openBinder}. */
  constructor(device: Device, { timeout = 10_000, log = () => {} }: BinderOptions) {
    this.#device = device;
    this.#timeout = timeout;
    this.#log = log;
    this.#commands = new Commands((commands, answers) => this.#write(commands, answers));
    this.#own = new OwnThread(device, this.#commands, ({ bytes, error }) => this.#hear(this.#own, bytes, error), () => {
      return !this.#closing && this.#own.calls.at(-1) instanceof OutgoingCall;
    });
    this.#remotes = new RemoteObjects(this.#commands, (object, code, message, { oneway = false }) => {
      return oneway ? this.#send(object, code, message) : this.#call(object, code, message);
    });
    this.#commands.add(BC.ENTER_LOOPER, []);
    this.#commands.flush();
    this.#start(true);
  }

  get counts(): BinderCounts {
    return { locals: this.#locals.count, remotes: this.#remotes.count, threads: this.#threads.size };
  }

  contextManager(): RemoteObject {
    return this.#remotes.contextManager();
  }

  becomeContextManager(object: LocalObject): Promise<void> {
    const id = this.#locals.hold(object); // as long as the bus lives
    try {
      this.#device.becomeContextManager(id);
      return Promise.resolve();
    } catch (error) {
      this.#locals.release(id);
      return Promise.reject(error);
    }
  }

  close(): Promise<void> {
    return this.#closing ??= this.#close();
  }

  async #close(): Promise<void> {
    const error = new BinderStatusError(STATUS.DEAD_OBJECT, "this process closed its binder");
    this.#resting.close();
    this.#listening.close();
    for (const { calls } of [this.#own, ...this.#threads]) {
      for (const call of calls) {
        if (call instanceof OutgoingCall) call.reject(error);
        else if (call.reply) closeReply(call.reply);
      }
    }
    await Promise.all([...this.#ending, ...[...this.#threads].map((thread) => thread.end())]);
    this.#device.close();
    this.#memory.close();
  }

  #write(commands: Uint8Array, answers: boolean): void {
    if (this.#closing) return;
    this.#device.write(commands);
    if (answers) this.#own.read();
  }

  /** A call without an answer goes out at once: the driver returns before anybody could wait. */
  #send(object: KernelRemote, code: number, message: Message): Promise<Message> {
    return this.#with(object, (holds) => {
      // The driver's answer to this thread could be one to the call that waits here.
      if (this.#own.calls.at(-1) instanceof OutgoingCall) return this.#sendElsewhere(object, code, message, holds);
      this.#commands.flush(); // what the driver says to that must not stand before what it says to the call
      const { block, length } = writeCall(object.handle, code, FLAG.ONE_WAY, message, holds);
      try {
        const { bytes, error } = this.#device.exchange(block, length);
        const failed = this.#hear(undefined, bytes, error);
        if (failed) throw failed;
      } finally {
        block.close();
      }
      return NOTHING;
    });
  }

  #sendElsewhere(object: KernelRemote, code: number, message: Message, holds: Holds): Promise<Message> {
    const writing = writeCall(object.handle, code, FLAG.ONE_WAY, message, holds);
    const thread = this.#threadFor(writing), call = new OutgoingCall(this.#timeout);
    thread.calls.push(call);
    this.#commands.flush();
    const taken = () => thread.calls.at(-1) === call ? this.#end(thread, call, NOTHING) : undefined;
    thread.write({ ...writing, taken }, "oneway");
    return call.answer;
  }

  #call(object: KernelRemote, code: number, message: Message): Promise<Message> {
    return this.#with(object, (holds) => {
      const writing = writeCall(object.handle, code, 0, message, holds);
      const thread = this.#threadForCall(writing), call = new OutgoingCall(this.#timeout);
      thread.calls.push(call);
      if (thread !== this.#own) this.#commands.flush();
      thread.write(writing, "call");
      return call.answer;
    });
  }

  /** Holds an object, and what a message to it brings, during a call. */
  async #with(object: KernelRemote, call: (holds: Holds) => Message | Promise<Message>): Promise<Message> {
    this.#checkOpen();
    const holds = new Holds(this.#locals, this.#remotes, this.#memory);
    this.#remotes.use(object);
    try {
      return await call(holds);
    } finally {
      holds.end();
      this.#remotes.release(object);
    }
  }

  #checkOpen(): void {
    if (this.#closing) failWith(STATUS.INVALID_OPERATION, "this process closed its binder: open it again");
  }

  /** A call out of the answer to another one goes out from that one's thread, and what it calls back comes to there. */
  #threadForCall(writing: Transaction): Thread {
    const answering = this.#answering.getStore(), thread = answering?.thread as Thread | undefined;
    if (thread && thread.calls.at(-1) === answering) return thread;
    return this.#own.calls.length === 0 ? this.#own : this.#threadFor(writing);
  }

  #threadFor({ block }: Transaction): Thread {
    try {
      return this.#resting.take() ?? this.#start(false);
    } catch (error) {
      block.close();
      throw error;
    }
  }

  #start(isLooper: boolean): Thread {
    if (this.#threads.size >= MOST_THREADS) {
      failWith(STATUS.NO_MEMORY, `${MOST_THREADS} calls are under way: wait for some of them`);
    }
    const thread: OtherThread = new DriverThread(this.#device.fd, isLooper, (from, told) => this.#told(from, told));
    this.#threads.add(thread);
    if (isLooper) this.#listening.add(thread);
    return thread;
  }

  #told(thread: OtherThread, told: ThreadMessage): void {
    if (told.kind === "work") return thread.goOn(!this.#closing && this.#own.readWork());
    if (told.kind === "ended") return this.#closing ? undefined : this.#dismiss(thread);
    if (this.#closing) return told.kind === "returns" ? this.#drop(told.bytes) : undefined;
    if (told.kind === "returns") this.#hear(thread, told.bytes, told.error);
    else if (told.kind === "failed") this.#fail(thread, `${told.during} failed: errno ${told.errno}`);
    this.#commands.flush();
  }

  #fail(thread: Thread, sentence: string): void {
    this.#log(`A thread of binder has a fault: ${sentence}`);
    const call = thread.calls.at(-1);
    if (call instanceof OutgoingCall) this.#end(thread, call, new BinderStatusError(STATUS.UNKNOWN_ERROR, sentence));
  }

  /** Takes in what the driver returned to a thread, or to this one. Returns the error of a call of this one. */
  #hear(thread: Thread | undefined, bytes: Uint8Array, error: number): BinderStatusError | undefined {
    const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
    let failed: BinderStatusError | undefined;
    for (let at = 0; at + 4 <= bytes.length; at += 4 + payloadSize(view.getUint32(at, true))) {
      const returned = view.getUint32(at, true);
      if (isFailure(returned)) {
        failed = failureOf(returned, error);
        if (thread) this.#failed(thread, failed);
      } else this.#take(thread, returned, view, at + 4);
    }
    return failed;
  }

  #take(thread: Thread | undefined, returned: number, view: DataView, at: number): void {
    const quad = (offset: number) => view.getBigUint64(at + offset, true);
    switch (returned) {
      case BR.INCREFS:
      case BR.ACQUIRE:
        this.#locals.holdAgain(quad(0));
        return this.#commands.add(returned === BR.ACQUIRE ? BC.ACQUIRE_DONE : BC.INCREFS_DONE, [], [quad(0), quad(8)]);
      case BR.RELEASE:
      case BR.DECREFS:
        return this.#locals.release(quad(0));
      case BR.TRANSACTION:
      case BR.TRANSACTION_SEC_CTX:
        return this.#serve(thread!, new Incoming(this.#device, view, at));
      case BR.REPLY:
        return this.#answered(thread!, new Incoming(this.#device, view, at));
      case BR.DEAD_BINDER:
        return this.#remotes.die(quad(0));
    }
  }

  /** The descriptors of a message are this process's as soon as a thread has read it. */
  #drop(bytes: Uint8Array): void {
    const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
    for (let at = 0; at + 4 <= bytes.length; at += 4 + payloadSize(view.getUint32(at, true))) {
      const returned = view.getUint32(at, true);
      const isMessage = returned === BR.TRANSACTION || returned === BR.TRANSACTION_SEC_CTX || returned === BR.REPLY;
      if (isMessage) discard(this.#read(new Incoming(this.#device, view, at + 4)));
    }
  }

  #answered(thread: Thread, reply: Incoming): void {
    const call = thread.calls.at(-1) as OutgoingCall, isStatus = (reply.flags & FLAG.STATUS_CODE) !== 0;
    const answer = isStatus ? statusAnswer(reply.status) : this.#read(reply);
    // The next call mostly follows at once. What came with the message is the kernel's to give back soon.
    const isPlain = answer instanceof BinderStatusError || answer.items.every(({ kind }) => kind === "fd");
    if (isPlain && reply.size <= FREED_LATER) this.#commands.addLater(BC.FREE_BUFFER, [], [reply.buffer]);
    else this.#commands.add(BC.FREE_BUFFER, [], [reply.buffer]);
    this.#end(thread, call, answer);
  }

  #failed(thread: Thread, error: BinderStatusError): void {
    const call = thread.calls.at(-1);
    if (call instanceof OutgoingCall) this.#end(thread, call, error);
    else this.#log(`A reply could not be sent: ${error.message}`);
  }

  /** Ends a call of a thread, which may then answer the call around it, or be free. */
  #end(thread: Thread, call: OutgoingCall, answer: Message | BinderStatusError): void {
    thread.calls.pop();
    if (answer instanceof BinderStatusError) call.reject(answer);
    else if (!call.resolve(answer)) discard(answer); // nobody waits any more
    const outer = thread.calls.at(-1);
    if (outer instanceof IncomingCall) outer.send?.();
    else if (!outer && thread !== this.#own && !thread.isLooper) this.#resting.add(thread as OtherThread);
  }

  /** Ends a thread. */
  #dismiss(thread: OtherThread): void {
    this.#threads.delete(thread);
    const ended: Promise<void> = thread.end().finally(() => this.#ending.delete(ended));
    this.#ending.add(ended);
  }

  #read(incoming: Incoming): Message {
    const locals = this.#locals, remotes = this.#remotes;
    const message = incoming.read({ local: (id) => locals.find(id), remote: (handle) => remotes.hold(handle) });
    return message;
  }

  #serve(thread: Thread, incoming: Incoming): void {
    const { code, flags, callerPid, callerUid } = incoming, oneway = (flags & FLAG.ONE_WAY) !== 0;
    const object = this.#locals.find(incoming.target), message = this.#read(incoming);
    const free = () => this.#commands.add(BC.FREE_BUFFER, [], [incoming.buffer]);
    const call = new IncomingCall(thread);
    if (!oneway) {
      thread.calls.push(call);
      if (thread.isLooper) this.#listening.remove(thread as OtherThread);
      if (incoming.size > FREED_LATER) free();
    }
    const done = (answer: Message | BinderStatusError) => {
      if (!oneway && incoming.size <= FREED_LATER) free(); // goes along with the reply
      if (!oneway) return this.#reply(thread, call, answer);
      if (!(answer instanceof BinderStatusError)) closeReply(answer); // nobody gets what the method answers with
      free(); // lets the next one to this object come
    };
    if (!object) {
      discard(message);
      return done(new BinderStatusError(STATUS.DEAD_OBJECT, "the object is gone"));
    }
    const answer = this.#answering.run(call, () => answerOf(object, code, message, { oneway, callerPid, callerUid }));
    if (!(answer instanceof Promise)) return done(answer);
    if (!oneway) this.#keepListening();
    answer.then(done);
  }

  /** Starts another looper if all of them wait for answers of this process. */
  #keepListening(): void {
    if (this.#listening.count > 0 || this.#threads.size >= MOST_THREADS) return;
    try {
      this.#start(true);
    } catch (error) {
      this.#log(`No other call is taken until one of this process is answered: ${error}`);
    }
  }

  /** Replies when the calls that the thread itself has under way are answered. */
  #reply(thread: Thread, call: IncomingCall, answer: Message | BinderStatusError): void {
    const message = answer instanceof BinderStatusError ? NOTHING : answer;
    if (this.#closing) return closeReply(message);
    call.reply = message;
    call.send = () => {
      thread.calls.pop();
      const holds = new Holds(this.#locals, this.#remotes, this.#memory);
      const written = this.#written(answer, holds);
      if (thread !== this.#own) this.#commands.flush();
      thread.write({
        ...written,
        taken: message.items.length === 0 ? undefined : () => {
          closeReply(message);
          holds.end();
        },
      }, "reply");
      const outer = thread.calls.at(-1);
      if (outer instanceof IncomingCall) outer.send?.();
      else if (!outer && thread.isLooper) this.#listening.add(thread as OtherThread);
    };
    if (thread.calls.at(-1) === call) call.send();
  }

  #written(answer: Message | BinderStatusError, holds: Holds): Transaction {
    if (answer instanceof BinderStatusError) return writeStatus(answer.code, holds);
    try {
      return writeReply(answer, holds);
    } catch (error) {
      this.#log(`A reply could not be written: ${error}`);
      return writeStatus(error instanceof BinderStatusError ? error.code : STATUS.FAILED_TRANSACTION, holds);
    }
  }
}

/** The objects that a message under way brings, held until the kernel or nobody holds them. */
class Holds implements Numbers {
  readonly memory: MemoryReserve;
  readonly #locals: LocalObjects;
  readonly #remotes: RemoteObjects;
  readonly #held: bigint[] = [];
  readonly #used: KernelRemote[] = [];

  constructor(locals: LocalObjects, remotes: RemoteObjects, memory: MemoryReserve) {
    this.memory = memory;
    this.#locals = locals;
    this.#remotes = remotes;
  }

  local(object: LocalObject): bigint {
    const id = this.#locals.hold(object);
    this.#held.push(id);
    return id;
  }

  remote(object: RemoteObject): number {
    if (!this.#remotes.has(object)) {
      failWith(STATUS.BAD_TYPE, "a message has an object of another device, or one that was released");
    }
    this.#remotes.use(object);
    this.#used.push(object);
    return object.handle;
  }

  end(): void {
    this.#held.splice(0).forEach((id) => this.#locals.release(id));
    this.#used.splice(0).forEach((object) => this.#remotes.release(object));
  }
}

function isFailure(returned: number): boolean {
  return returned === BR.DEAD_REPLY || returned === BR.FAILED_REPLY || returned === BR.FROZEN_REPLY;
}

function statusAnswer(status: number): Message | BinderStatusError {
  return status === 0 ? NOTHING : new BinderStatusError(status, "the object answers with this status");
}

/** Calls an object; its errors become answers. */
function answerOf(
  object: LocalObject,
  code: number,
  message: Message,
  call: { oneway: boolean; callerPid: number; callerUid: number },
): Message | BinderStatusError | Promise<Message | BinderStatusError> {
  try {
    const answer = object.transact(code, message, call);
    return answer instanceof Promise ? answer.catch(statusOf) : answer;
  } catch (error) {
    return statusOf(error);
  }
}

function statusOf(error: unknown): BinderStatusError {
  if (error instanceof BinderStatusError) return error;
  return new BinderStatusError(STATUS.FAILED_TRANSACTION, error instanceof Error ? error.message : String(error));
}
