import { POLL, pollDescriptor, pollDescriptors } from "../../../ffi/file/file_descriptor.ts";
import { fenceWorker } from "../../../wsi/fence/fence_worker.ts";
import { type AsyncComposer, takesAnyFence } from "../../composer.ts";
import { FUNCTION_NAMES } from "../../function_names.ts";
import { refuse } from "../../core/refusal.ts";
import { ERROR } from "../../types.ts";
import { closeFences, DESCRIPTORS, writeFailure, writeValue } from "../answer.ts";
import { type Batch, type Call, dropCall, readBatch } from "../batch.ts";
import { Belongings, ReceivedBuffers } from "./belongings.ts";
import type { Channel, Message } from "../wire/channel.ts";
import { type Codec, INT, TEXT } from "../wire/codec.ts";
import { eventShape } from "../commands.ts";
import { FenceRelay } from "../fence_relay.ts";
import { Reader } from "../wire/reader.ts";
import { BadMessage, KIND, MOST_BYTES, VERSION } from "../wire/wire.ts";
import { Writer } from "../wire/writer.ts";

type Method = (...args: unknown[]) => unknown;
type Said = "value" | "failure" | void;

/** Milliseconds until what a client had no room for is tried again. */
const RETRY = 5;
/** Messages after which everything else that waits in this process is done. */
const TURNS = 32;
/** Milliseconds that a message is waited for without the event loop, which takes as long as a frame to hear of one. */
const LINGER = 1;
/** Milliseconds after which the event loop has its turn, however quickly a client goes on. */
const MOST_LINGERING = 2;
/** Bytes of all answers to a batch. */
const MOST_ANSWERS = MOST_BYTES - 64;

/** The questions after which a client last went on soon: whoever validates usually presents at once, and then rests. */
class Habits {
  readonly #soon = new Set<string>();
  #question = "";
  #time = 0;

  /** Whether the next message should come within {@linkcode LINGER}. */
  get goesOnSoon(): boolean {
    return this.#soon.has(this.#question);
  }

  /** The last of these was answered now. */
  answered(calls: readonly Call[]): void {
    this.#question = calls.find(({ isAsked }) => isAsked)?.name ?? "";
    this.#time = performance.now();
  }

  /** A message has come. */
  wentOn(): void {
    if (performance.now() - this.#time < LINGER) this.#soon.add(this.#question);
    else this.#soon.delete(this.#question);
  }
}

/** One client of a composer, from its first message until it is gone and all it had is cleared away. */
export class Session {
  readonly #composer: AsyncComposer;
  readonly #channel: Channel;
  readonly #log: (message: string) => void;
  readonly #buffers = new ReceivedBuffers();
  readonly #belongings: Belongings;
  readonly #relay = new FenceRelay();
  readonly #ending = new AbortController();
  readonly #habits = new Habits();
  /** Messages in the making; new ones for every answer would cost more than what they say. */
  readonly #outcomes = new Writer(this.#relay);
  readonly #answer = new Writer();
  #isWelcome = false;
  #retry: ReturnType<typeof setTimeout> | undefined;

  /** Takes the connection over. */
  constructor(composer: AsyncComposer, channel: Channel, log: (message: string) => void) {
    this.#composer = composer;
    this.#channel = channel;
    this.#log = log;
    this.#belongings = new Belongings(composer, log);
  }

  /** Serves until the client is gone. */
  async run(): Promise<void> {
    try {
      while (await this.#serve()) await fenceWorker().whenReadable(this.#channel.fd, this.#ending.signal);
    } catch (error) {
      this.#log(error instanceof BadMessage ? `A client sent a malformed message: ${error.message}` : `${error}`);
    } finally {
      await this.#end();
    }
  }

  /** Whether the client has gone; its belongings may still be being removed. */
  get isOver(): boolean {
    return this.#channel.isGone || (pollDescriptors([this.#channel.fd], 0)[0] & POLL.HUP) !== 0;
  }

  /** Whether the client has not introduced itself, and no data of it waits. */
  get isSilent(): boolean {
    return !this.#isWelcome && !pollDescriptor(this.#channel.fd, 0);
  }

  /** Ends it from this side, and says why if the client can be told. */
  stop(why?: string): void {
    if (why) postRefusal(this.#channel, why);
    this.#channel.close();
    this.#ending.abort();
  }

  /**
   * Handles the received messages. Returns whether more may come. Others get
   * their turn in between, however many messages wait.
   */
  async #serve(): Promise<boolean> {
    const channel = this.#channel, end = performance.now() + MOST_LINGERING;
    for (let turn = 1, message = this.#next(end); message; turn++, message = this.#next(end)) {
      this.#habits.wentOn();
      if (!await this.#handle(message)) return false;
      if (turn % TURNS === 0) await new Promise((done) => setTimeout(done, 0));
    }
    return !channel.isGone;
  }

  /** The next message that is here, or comes soon from a client of that habit; until `end`, a time of `performance`. */
  #next(end: number): Message | undefined {
    const channel = this.#channel;
    channel.receive();
    const message = channel.next();
    if (message || channel.isGone || !this.#habits.goesOnSoon || performance.now() >= end) return message;
    if (channel.wait("receive", LINGER)) channel.receive();
    return channel.next();
  }

  async #handle({ kind, bytes, fds }: Message): Promise<boolean> {
    const reader = new Reader(bytes, fds, this.#buffers);
    try {
      if (!this.#isWelcome) return kind === KIND.HELLO ? await this.#welcome(reader) : unexpected(kind);
      if (kind === KIND.BATCH) await this.#do(readBatch(reader));
      else if (kind === KIND.BYE) return await this.#sayBye();
      else unexpected(kind);
      return true;
    } finally {
      reader.close();
    }
  }

  async #welcome(reader: Reader): Promise<boolean> {
    const version = reader.u32();
    if (version !== VERSION) return this.#refuse(`the client speaks version ${version}, the server ${VERSION}`);
    const found: number[] = [];
    for (const descriptor of Object.keys(FUNCTION_NAMES).map(Number)) {
      if (await this.#composer.getFunction(descriptor)) found.push(descriptor);
    }
    const writer = new Writer();
    writer.u32(VERSION);
    DESCRIPTORS.write(writer, found);
    writer.u32(takesAnyFence(this.#composer) ? 1 : 0);
    this.#post(KIND.WELCOME, writer);
    return this.#isWelcome = true;
  }

  #refuse(sentence: string): boolean {
    postRefusal(this.#channel, sentence);
    return false;
  }

  /** The client waits until it has nothing here any more. */
  async #sayBye(): Promise<boolean> {
    await this.#clear();
    this.#post(KIND.ANSWER, new Writer());
    return false;
  }

  async #do({ sequence, goesOn, calls, cleared }: Batch): Promise<void> {
    const outcomes = this.#outcomes, answer = this.#answer;
    [outcomes, answer].forEach((writer) => writer.cut(0, 0));
    let count = 0, failed = false, stopped = false;
    for (const [index, call] of calls.entries()) {
      stopped ||= call.isAsked && failed && !goesOn;
      const done: Said | Promise<Said> = stopped ? dropCall(call) : this.#call(call, index, outcomes);
      const said: Said = done instanceof Promise ? await done : done; // a composer in this process answers at once
      if (said) count++;
      failed ||= said === "failure";
      stopped ||= said === "failure" && call.isAsked;
    }
    this.#buffers.clear(cleared);
    answer.u32(sequence);
    answer.u32(count);
    answer.raw(outcomes.bytes);
    answer.fds.push(...outcomes.fds.splice(0));
    this.#post(KIND.ANSWER, answer);
    this.#habits.answered(calls);
  }

  /** Does one command and says what became of it, if there is anything to say: at once where the composer answers at once. */
  #call(call: Call, index: number, outcomes: Writer): Said | Promise<Said> {
    try {
      const answer = this.#answerTo(call);
      if (answer instanceof Promise) return this.#callLater(call, index, outcomes, answer);
      return this.#say(call, index, outcomes, answer);
    } catch (error) {
      return this.#sayFailure(call, index, outcomes, error);
    }
  }

  async #callLater(call: Call, index: number, outcomes: Writer, answer: Promise<unknown>): Promise<Said> {
    try {
      return this.#say(call, index, outcomes, await answer);
    } catch (error) {
      return this.#sayFailure(call, index, outcomes, error);
    }
  }

  #say(call: Call, index: number, outcomes: Writer, value: unknown): Said {
    const { result, lent } = call;
    this.#belongings.note(call, value);
    if (result) writeAnswer(outcomes, index, result, value);
    for (const fence of lent) fence.close();
    return result && "value";
  }

  #sayFailure({ taken, lent }: Call, index: number, outcomes: Writer, error: unknown): Said {
    for (const fence of [...taken, ...lent]) fence.close(); // nobody else is left to
    writeFailure(outcomes, index, error);
    return "failure";
  }

  #answerTo(call: Call): unknown {
    if (call.refusal) throw call.refusal;
    const before = this.#belongings.before(call);
    return before ? before.then(() => this.#run(call)) : this.#run(call);
  }

  #run({ name, args }: Call): unknown {
    const method = this.#composer[name] as Method | undefined;
    if (!method) refuse(ERROR.UNSUPPORTED, "the composer does not have this function");
    if (name !== "registerCallback") return method.apply(this.#composer, args as unknown[]);
    return method.call(this.#composer, args[0], this.#listener(args[0] as number, args[1] as boolean));
  }

  #listener(descriptor: number, isWanted: boolean): ((...args: unknown[]) => void) | null {
    const shape = eventShape(descriptor);
    if (!shape) refuse(ERROR.BAD_PARAMETER, `there is no callback ${descriptor}; give one of CALLBACK`);
    if (!isWanted) return null;
    return (...args) => {
      const writer = new Writer();
      INT.write(writer, descriptor);
      shape.forEach((codec, index) => codec.write(writer, args[index]));
      this.#post(KIND.EVENT, writer);
    };
  }

  #post(kind: number, writer: Writer): void {
    if (this.#channel.isGone) return void writer.cut(0, 0);
    this.#channel.post(kind, writer.bytes, writer.fds.splice(0));
    this.#flush();
  }

  /** A client that does not read must not stop this thread, nor fill its memory. */
  #flush(): void {
    if (this.#retry !== undefined) clearTimeout(this.#retry);
    this.#retry = undefined;
    if (this.#channel.flush()) return;
    if (this.#channel.waiting > 2 * MOST_BYTES) {
      this.#log("A client does not read its messages: its connection is closed");
      return this.stop();
    }
    this.#retry = setTimeout(() => this.#flush(), RETRY);
  }

  async #clear(): Promise<void> {
    await this.#belongings.clear();
    this.#buffers.close();
  }

  async #end(): Promise<void> {
    if (!this.#channel.isGone) this.#channel.flush();
    clearTimeout(this.#retry);
    this.#channel.close();
    this.#relay.close();
    await this.#clear();
  }
}

/** Puts a result into an answer, and closes its fences; nothing of one that is too long. */
function writeAnswer(to: Writer, index: number, result: Codec<unknown>, value: unknown): void {
  const { size } = to, count = to.fds.length;
  try {
    writeValue(to, index, result, value);
    if (to.size > MOST_ANSWERS) refuse(ERROR.NO_RESOURCES, `the answer has ${to.size - size} bytes`);
  } catch (error) {
    to.cut(size, count);
    throw error;
  } finally {
    closeFences(value);
  }
}

/** Tells a client why it is not served. */
export function postRefusal(channel: Channel, sentence: string): void {
  const writer = new Writer();
  TEXT.write(writer, sentence);
  channel.post(KIND.REFUSED, writer.bytes);
  channel.flush();
}

function unexpected(kind: number): never {
  throw new BadMessage(`message ${kind} is not allowed now`);
}
