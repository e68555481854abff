import { HwcError } from "../../hwc_error.ts";
import { layerOf } from "../../arguments.ts";
import { Refusal, refuse } from "../../core/refusal.ts";
import { ERROR } from "../../types.ts";
import { closeFences, type Outcome, readOutcomes } from "../answer.ts";
import { REGISTER, SLOTS } from "../batch.ts";
import { BOOL, type Codec } from "../wire/codec.ts";
import { type CommandName, commandNumber, COMMANDS } from "../commands.ts";
import type { Connection } from "./connection.ts";
import { FenceRelay } from "../fence_relay.ts";
import { BadMessage, KIND, MOST_BYTES, MOST_FDS, MOST_SLOTS, SENT } from "../wire/wire.ts";
import { type BufferNames, Writer } from "../wire/writer.ts";
import { closeDescriptor, duplicate } from "../../../ffi/file/file_descriptor.ts";
import { exportInts } from "../../../wsi/buffer/gralloc.ts";
import type { GraphicBuffer } from "../../../wsi/buffer/graphic_buffer.ts";
import { bufferOfHandle } from "../../../wsi/buffer/known_buffers.ts";
import { MODIFIER } from "../../../wsi/buffer/modifier.ts";
import { noDescriptor } from "../../../wsi/fence/descriptor.ts";

/** A buffer that the server has. */
interface Slot {
  readonly number: number;
  /** The buffer's number; the handle of a closed buffer may be reused. */
  readonly id: bigint;
  readonly handle: bigint;
}

/**
 * The buffers that the server has, by their slots: a buffer goes over the wire
 * once. When a buffer is closed here, its slot must be cleared.
 */
class KnownBuffers implements BufferNames {
  readonly #slots = new Map<bigint, Slot>();
  #free: number[] = [];
  #unused = 0;

  /** Writes a buffer's slot, and the buffer if the server does not have it. Refuses with BAD_PARAMETER what cannot be sent. */
  write(to: Writer, buffer: GraphicBuffer): void {
    if (buffer.isClosed) refuse(ERROR.BAD_PARAMETER, "the buffer is closed; keep it open until it was handed over");
    const known = this.#slots.get(buffer.id);
    to.u32(known?.number ?? this.#next);
    to.u8(known ? SENT.BEFORE : buffer.modifier === MODIFIER.LINEAR ? SENT.NOW : SENT.TILED);
    if (!known) this.#send(to, buffer);
  }

  /** The server could not take some of those that were sent since a count. */
  forget(slots: ReadonlySet<number>): void {
    for (const [id, { number }] of this.#slots) if (slots.has(number)) this.#drop(id, number);
  }

  /** Slots whose buffers are closed by now: the server is to clear them. */
  takeClosed(): number[] {
    const closed: number[] = [];
    for (const [key, { number, id, handle }] of this.#slots) {
      if (bufferOfHandle(handle)?.id === id) continue;
      this.#drop(key, number);
      closed.push(number);
    }
    return closed;
  }

  get #next(): number {
    return this.#free.at(-1) ?? this.#unused;
  }

  #send(to: Writer, buffer: GraphicBuffer): void {
    const { memory: { fd }, id, handle } = buffer, number = this.#next;
    if (number >= MOST_SLOTS) refuse(ERROR.NO_RESOURCES, `the server has ${MOST_SLOTS} buffers already; close some`);
    if (fd < 0) {
      refuse(ERROR.BAD_PARAMETER, `buffer ${id} has no file, so only its own process knows it; allocate another kind`);
    }
    const copy = duplicate(fd);
    if (copy < 0) throw noDescriptor(`buffer ${id}`);
    try {
      for (const int of exportInts(buffer)) to.i32(int);
    } catch (error) {
      closeDescriptor(copy);
      throw error;
    }
    to.fd(copy);
    if (this.#free.length > 0) this.#free.pop();
    else this.#unused++;
    this.#slots.set(id, { number, id, handle });
    to.newSlots.add(number);
  }

  #drop(key: bigint, number: number): void {
    this.#slots.delete(key);
    this.#free.push(number);
  }
}

/** A command that waits to be sent. */
interface Queued {
  readonly name: string;
  readonly result: Codec<unknown> | undefined;
  /** The layer that the command is about, if it is about one. */
  readonly layer: bigint | undefined;
  /** Slots of the buffers that the server gets with it. */
  readonly newSlots: ReadonlySet<number>;
}

/** A queue's treatment of failed commands. */
export interface QueueRules {
  /** Gets each of them; without it, what sends them throws the first. */
  readonly failed?: (error: HwcError, index: number) => void;
}

const NONE: ReadonlySet<number> = new Set();

/** Room that a batch leaves for the one command more that makes it full. */
const FULL_BYTES = MOST_BYTES >> 1, FULL_FDS = MOST_FDS >> 1;

/** Commands that go to the server together, and what they answer. */
export class CommandQueue {
  readonly #connection: Connection;
  readonly #failed: QueueRules["failed"];
  readonly #names = new KnownBuffers();
  readonly #relay = new FenceRelay();
  /** The commands and the message that carries them: empty between batches. */
  readonly #writer = new Writer(this.#relay, this.#names);
  readonly #message = new Writer();
  #queued: Queued[] = [];
  #sequence = 0;

  /** An empty one. */
  constructor(connection: Connection, { failed }: QueueRules) {
    this.#connection = connection;
    this.#failed = failed;
  }

  /** The number of waiting commands. */
  get size(): number {
    return this.#queued.length;
  }

  /** Whether so many commands wait that they should be sent. */
  get isFull(): boolean {
    return this.#writer.size > FULL_BYTES || this.#writer.fds.length > FULL_FDS;
  }

  /** Adds a command; its place. Throws an {@linkcode HwcError} for what cannot be sent, and then it was never there. */
  add(name: CommandName, values: readonly unknown[]): number {
    const { args, result } = COMMANDS[name];
    const codecs = args as readonly Codec<unknown>[];
    const about = { result: result as Codec<unknown> | undefined, layer: layerOf(name, values) };
    return this.#write(name, commandNumber(name), about, () => {
      codecs.forEach((codec, index) => codec.write(this.#writer, values[index]));
    });
  }

  /** Adds a registration. */
  addRegistration(descriptor: number, isWanted: boolean): number {
    return this.#write("registerCallback", REGISTER, { result: undefined, layer: undefined }, () => {
      this.#writer.i32(descriptor);
      BOOL.write(this.#writer, isWanted);
    });
  }

  /** Sends all of it; what each answered, by its place. Throws what failed, as it was asked for, or an {@linkcode HwcError} for a server that is gone. */
  send(command: string, asked: number): ReadonlyMap<number, Outcome> {
    const queued = this.#queued, outcomes = this.#exchange(command, queued);
    const byPlace = new Map(outcomes.map((outcome) => [outcome.index, outcome]));
    const failures = outcomes.filter(({ error }) => error !== ERROR.NONE);
    if (failures.length === 0) return byPlace;
    this.#names.forget(new Set(failures.flatMap(({ index }) => [...queued[index].newSlots])));
    this.#report(failures.filter(({ index }) => index < asked), queued, byPlace);
    return byPlace;
  }

  /** Drops all commands that were not sent. */
  drop(): void {
    this.#relay.close();
    this.#writer.cut(0, 0);
    this.#queued = [];
  }

  #write(name: string, number: number, about: Pick<Queued, "result" | "layer">, write: () => void): number {
    this.#connection.check(name);
    const writer = this.#writer, { size } = writer, fds = writer.fds.length;
    writer.newSlots.clear();
    try {
      writer.u32(number);
      writer.sized(write);
      if (writer.size > MOST_BYTES - FULL_BYTES / 2) tooLarge(writer.size - size);
    } catch (error) {
      writer.cut(size, fds);
      this.#names.forget(writer.newSlots);
      throw error instanceof Refusal ? new HwcError(name, error.code, error.message) : error;
    }
    const newSlots = writer.newSlots.size > 0 ? new Set(writer.newSlots) : NONE;
    return this.#queued.push({ name, result: about.result, layer: about.layer, newSlots }) - 1;
  }

  #exchange(command: string, queued: readonly Queued[]): Outcome[] {
    const sequence = this.#sequence = this.#sequence + 1 >>> 0, commands = this.#writer, message = this.#message;
    this.#queued = [];
    message.cut(0, 0);
    message.u32(sequence);
    BOOL.write(message, this.#failed !== undefined);
    SLOTS.write(message, this.#names.takeClosed());
    message.u32(queued.length);
    message.raw(commands.bytes);
    message.fds.push(...commands.fds.splice(0));
    commands.cut(0, 0);
    return this.#connection.ask(command, KIND.BATCH, message, (kind, from) => {
      if (kind !== KIND.ANSWER) throw new BadMessage(`the server answers by message ${kind}`);
      const answered = from.u32();
      if (answered !== sequence) throw new BadMessage(`the server answers batch ${answered} instead of ${sequence}`);
      const outcomes = readOutcomes(from, (index) => {
        if (index >= queued.length) throw new BadMessage(`the server answers command ${index} of ${queued.length}`);
        return queued[index].result;
      });
      from.takeFences(); // they are their receivers'
      return outcomes;
    });
  }

  #report(failures: readonly Outcome[], queued: readonly Queued[], outcomes: ReadonlyMap<number, Outcome>): void {
    const errors = failures.map((failure) => {
      const { name, layer } = queued[failure.index], error = errorOf(failure, name, queued.length);
      return layer === undefined ? error : Object.assign(error, { layer });
    });
    if (this.#failed) errors.forEach((error, at) => this.#failed!(error, failures[at].index));
    else if (errors.length > 0) {
      outcomes.forEach(({ value }) => closeFences(value));
      throw errors[0];
    }
  }
}

function tooLarge(size: number): never {
  refuse(ERROR.BAD_PARAMETER, `it takes ${size} bytes; give less than ${MOST_BYTES / 4}`);
}

/** A command's failure as its method throws it. */
export function errorOf({ error, sentence, index }: Outcome, name: string, count: number): HwcError {
  const place = count > 1 ? ` (command ${index} of ${count} that were sent together)` : "";
  return new HwcError(name, error, `${sentence}${place}`);
}
