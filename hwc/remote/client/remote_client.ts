import type { NativeFence } from "../../../wsi/fence/native_fence.ts";
import { checkArguments } from "../../arguments.ts";
import { VSYNC } from "../../device_types.ts";
import { FUNCTION_NAMES } from "../../function_names.ts";
import { closeFences, DESCRIPTORS, type Outcome } from "../answer.ts";
import type { Channel } from "../wire/channel.ts";
import type { Codec } from "../wire/codec.ts";
import { CommandQueue, errorOf } from "./command_queue.ts";
import { type CommandName, COMMANDS } from "../commands.ts";
import type { RemoteComposer, RemoteOptions } from "./connect.ts";
import { Connection } from "./connection.ts";
import { Listeners } from "./listeners.ts";
import { TAKEN_FENCE } from "../wire/records.ts";
import { BadMessage, KIND, VERSION } from "../wire/wire.ts";
import { Writer } from "../wire/writer.ts";

/**
 * The questions that nearly always follow a command. They go along with it, so
 * that a frame takes two answers instead of six.
 */
const NEXT_QUESTIONS: Readonly<Partial<Record<CommandName, readonly CommandName[]>>> = {
  validateDisplay: ["getChangedCompositionTypes", "getDisplayRequests", "getClientTargetProperty"],
  presentDisplay: ["getReleaseFences"],
};

/** Answers to questions about a display that were not asked yet. They hold until any other command. */
class Foreseen {
  #display: unknown;
  #values = new Map<string, unknown>();

  /** Keeps the answers that came behind another; names by their places. */
  keep(display: unknown, names: ReadonlyMap<number, CommandName>, outcomes: ReadonlyMap<number, Outcome>): void {
    this.#display = display;
    for (const [index, name] of names) {
      const outcome = outcomes.get(index);
      if (outcome?.error === 0) this.#values.set(name, outcome.value);
    }
  }

  /** The answer to a question, once. */
  take(name: string, display: unknown): { readonly value: unknown } | undefined {
    if (display !== this.#display || !this.#values.has(name)) return undefined;
    const value = this.#values.get(name);
    this.#values.delete(name);
    return { value };
  }

  /** Forgets the answers, which may have changed. */
  forget(): void {
    if (this.#values.size === 0) return;
    for (const value of this.#values.values()) closeFences(value);
    this.#values.clear();
  }
}

type Method = (...args: unknown[]) => unknown;

/** The client's side of a connection, and the composer it looks like. */
export class RemoteClient {
  readonly composer: RemoteComposer;
  readonly #connection: Connection;
  readonly #queue: CommandQueue;
  readonly #listeners = new Listeners();
  readonly #foreseen = new Foreseen();
  readonly #isOneByOne: boolean;
  readonly #descriptors: ReadonlySet<number>;
  #isClosing = false;

  /** Takes the connection over, also when it fails. Throws an {@linkcode HwcError}. */
  constructor(channel: Channel, options: RemoteOptions & { readonly timeout: number }) {
    const { timeout, oneByOne = false, commandFailed, onLost } = options;
    this.#isOneByOne = oneByOne;
    this.#connection = new Connection(channel, timeout, (event) => this.#listeners.heard(event), (reason) => {
      this.#drop();
      if (!this.#isClosing) onLost?.(reason);
    });
    this.#queue = new CommandQueue(this.#connection, { failed: commandFailed });
    this.#isClosing = true;
    const { descriptors, takesAnyFence } = this.#hello();
    this.#descriptors = new Set(descriptors);
    this.#isClosing = false;
    this.composer = this.#makeComposer(takesAnyFence);
  }

  #hello(): { readonly descriptors: readonly number[]; readonly takesAnyFence: boolean } {
    const writer = new Writer();
    writer.u32(VERSION);
    return this.#connection.ask("connectComposer", KIND.HELLO, writer, (kind, from) => {
      const version = kind === KIND.WELCOME ? from.u32() : 0;
      if (version !== VERSION) throw new BadMessage(`the server speaks version ${version}, the client ${VERSION}`);
      return { descriptors: DESCRIPTORS.read(from), takesAnyFence: from.u32() !== 0 };
    });
  }

  #makeComposer(takesAnyFence: boolean): RemoteComposer {
    const names = Object.keys(COMMANDS) as CommandName[], close = () => this.#close();
    const connection = this.#connection, functions = FUNCTION_NAMES as Record<number, string>;
    const methods: Record<string, Method> = {
      ...Object.fromEntries(names.map((name) => [name, this.#method(name)])),
      registerCallback: (descriptor, listener) => this.#register(descriptor as number, listener as Method | null),
    };
    const composer = {
      ...methods,
      takesAnyFence,
      getFunction: (descriptor: number) =>
        this.#descriptors.has(descriptor) ? methods[functions[descriptor]] : undefined,
      flush: () => this.#flush("flush"),
      get isConnected() {
        return connection.isOpen;
      },
      close,
      [Symbol.dispose]: close,
      [Symbol.asyncDispose]: () => {
        close();
        return this.#listeners.ended;
      },
    };
    return composer as unknown as RemoteComposer;
  }

  #method(name: CommandName): Method {
    const { pace, args } = COMMANDS[name];
    const fenceAt = (args as readonly Codec<unknown>[]).indexOf(TAKEN_FENCE as Codec<unknown>);
    const run = pace === "queued" && !this.#isOneByOne ? this.#queueing(name) : this.#asking(name);
    return (...values) => {
      checkArguments(name, values);
      const value = run(...values);
      if (fenceAt < 0) return value;
      (values[fenceAt] as NativeFence | null)?.close(); // a copy has gone over
    };
  }

  #queueing(name: CommandName): Method {
    return (...values) => {
      this.#foreseen.forget();
      this.#queue.add(name, values);
      if (this.#queue.isFull) this.#flush(name);
    };
  }

  #asking(name: CommandName): Method {
    return (...values) => {
      const known = this.#foreseen.take(name, values[0]);
      if (known) return known.value;
      this.#foreseen.forget();
      const value = this.#ask(name, values);
      if (name === "setVsyncEnabled" && values[1] === VSYNC.DISABLE) this.#listeners.dropVsyncs(values[0] as bigint);
      return value;
    };
  }

  #ask(name: CommandName, values: readonly unknown[]): unknown {
    const index = this.#queue.add(name, values), next = NEXT_QUESTIONS[name] ?? [];
    const questions = new Map(next.map((question) => [this.#queue.add(question, [values[0]]), question]));
    const count = this.#queue.size, outcomes = this.#queue.send(name, index), outcome = outcomes.get(index);
    if (outcome?.error) throw errorOf(outcome, name, count);
    this.#foreseen.keep(values[0], questions, outcomes);
    return this.#valueOf(name, outcome);
  }

  #valueOf(name: CommandName, outcome: Outcome | undefined): unknown {
    if (outcome || !COMMANDS[name].result) return outcome?.value;
    this.#connection.end("the server left an answer out");
    return this.#connection.check(name);
  }

  #flush(name: string): void {
    this.#connection.check(name);
    if (this.#queue.size > 0) this.#queue.send(name, this.#queue.size);
  }

  /** HOTPLUG reports connected displays at once, as in one process. */
  #register(descriptor: number, listener: Method | null): void {
    checkArguments("registerCallback", [descriptor, listener]);
    this.#foreseen.forget();
    const index = this.#queue.addRegistration(descriptor, listener !== null), before = this.#listeners.get(descriptor);
    this.#listeners.set(descriptor, listener);
    try {
      const count = this.#queue.size, outcome = this.#queue.send("registerCallback", index).get(index);
      if (outcome?.error) throw errorOf(outcome, "registerCallback", count);
    } catch (error) {
      this.#listeners.set(descriptor, before);
      throw error;
    }
    if (listener) this.#listeners.tell();
    this.#listeners.watch(this.#connection);
  }

  /** The server removes the client's belongings before it ends the connection. */
  #close(): void {
    if (!this.#connection.isOpen) return;
    this.#isClosing = true;
    this.#queue.drop();
    try {
      this.#connection.ask("close", KIND.BYE, new Writer(), () => {});
    } catch {
      // the connection is gone, and the server has removed everything of ours
    }
    this.#connection.end("the composer is closed");
  }

  #drop(): void {
    this.#queue.drop();
    this.#foreseen.forget();
    this.#listeners.close();
  }
}
