import type { OtherMemory } from "../../../ffi/arena_memory.ts";
import { prepareMapped } from "../../../ffi/mapped.ts";
import { readFrom } from "../../../ffi/machine.ts";
import { parseSignature } from "../../../ffi/signature.ts";
import type { ForeignThreadPolicy } from "../../../loader/layer.ts";
import type { NativeCall } from "../../../loader/command/compile.ts";
import { blaming } from "../../../loader/layers/guard/blame.ts";
import type { LayerPlaces } from "../../../loader/layers/hooks/places.ts";
import { HANDED, HELLO, NOTES, SLOT, STATE } from "../layout.ts";
import { ProgramGone } from "../../../loader/error.ts";
import { Call } from "./call.ts";
import { Captures } from "./captures.ts";
import { takenArguments } from "./arguments.ts";
import { EarlyCalls } from "./early_calls.ts";
import { Handlers, requireResult } from "./handlers.ts";
import { LateCall, NotedMemory } from "./late_call.ts";
import { LateCommands } from "./late_commands.ts";
import type { Answer, AnsweredCall, Hooks, LayerKind, NotedCall, Rest } from "./layer_kind.ts";
import { copiesIn, type CopyStep } from "./copies.ts";
import { type Note, Notes } from "./notes.ts";
import { Program, requireApart } from "./program.ts";
import type { Pulse } from "./pulse.ts";
import type { Transport } from "./transport.ts";

/** Milliseconds: the longest wait in which this thread does nothing else, and the longest turn of answers. */
const IDLE = 1, TURN = 8;
/** Milliseconds between two checks whether a program has ended. */
const LOOK = 100;
/** Milliseconds after which notes of calls that go on by themselves are read, though nothing rings. */
const NOTES_LOOK = 20;
/**
 * Milliseconds for which this thread waits for a call below alone. Answers end in the reverse order of their
 * beginnings, so that other answers begin meanwhile only if a call takes its time.
 */
const PROMPT = 1;
/** Milliseconds after which a thread waits no longer for an answer that another answer holds up. */
const RELEASE = 20;
/**
 * The most calls that wait below their hooks at a time. Hooks of later calls run inside of those of earlier ones, so
 * that more would not fit the stack.
 */
const MOST_WAITING = 256;

/** The parts that a session needs. */
export interface SessionSpec<Kind extends { readonly name: string }> {
  /** The interface that the layers stand in. */
  readonly kind: LayerKind<Kind>;
  /** The layers, top to bottom, as they are now. */
  readonly layers: LayerPlaces<Kind>;
  /** Whether later layers may hook other commands than the layers of the start. */
  readonly live: boolean;
  /** Returns the policy for the calls of a command that layers hook. */
  readonly policyOf: (command: string) => ForeignThreadPolicy;
  /** The copies for the calls of commands that are recorded. */
  readonly copies: ReadonlyMap<string, readonly CopyStep[]>;
  /** Begins to listen to programs. */
  readonly open: () => Transport;
  /** The place where the layers' code notes that it runs; absent if nobody looks. */
  readonly pulse?: Pulse;
  /** Hears of the errors that hooks throw. */
  readonly onError: (error: unknown) => void;
  /** Hears of programs that cannot be served. */
  readonly log: (message: string) => void;
}

/** The session in which layers answer programs' calls, in the isolate that opened the session. */
export class Session<Kind extends { readonly name: string }> {
  /** The number of programs that have connected so far. */
  connected = 0;
  /** The way between programs and this process. */
  readonly channel: Transport;
  readonly #spec: SessionSpec<Kind>;
  readonly #kind: LayerKind<Kind>;
  readonly #names: readonly string[];
  readonly #notes: Notes;
  readonly #hooks: Hooks<Kind>;
  readonly #handlers: Handlers<Kind>;
  readonly #programs = new Map<number, Program>();
  readonly #running: Promise<void>;
  /** The calls that are being answered, with their programs. The hooks of the last one run now. */
  readonly #answers: Answer[] = [];
  /** The number of calls that passed because {@linkcode MOST_WAITING} others were being answered. */
  #unseen = 0;
  readonly #early: EarlyCalls;
  readonly #late: LateCommands<Kind>;
  readonly #captures: Captures<Kind>;
  #isOver = false;
  /** Whether the channel is closed. */
  #isClosed = false;
  #lost = 0;

  /** Begins to answer. */
  constructor(spec: SessionSpec<Kind>) {
    this.#spec = spec;
    this.#kind = spec.kind;
    this.#names = spec.kind.names();
    this.#early = new EarlyCalls(spec.log);
    prepareMapped();
    this.channel = spec.open();
    this.#notes = new Notes(this.channel, () => this.#captureAll());
    const { kind, policyOf, copies } = spec;
    const layers = () => spec.layers.all;
    const hasThread = (thread: number) => [...this.#programs.values()].some((program) => program.hasThread(thread));
    this.#late = new LateCommands({ kind, policyOf, copies, channel: this.channel, layers, hasThread });
    this.channel.planCopies(this.#late.plans());
    this.#captures = new Captures({ kind, channel: this.channel, layers: () => spec.layers.all, late: this.#late });
    this.#hooks = spec.kind.hooks({
      layers: () => spec.layers.all,
      pulse: spec.pulse,
      answer: () => this.#answers.at(-1)!,
      request: (...request) => this.#request(...request),
    });
    this.#handlers = new Handlers(spec.kind, this.#hooks);
    this.refresh();
    this.#running = this.#run();
  }

  /** Uses the layers as they are now, from the next call on. */
  refresh(): void {
    if (this.#isOver) return;
    const { always } = this.#kind;
    const layers = this.#spec.layers.all;
    if (layers.some((layer) => this.#kind.watches(layer))) this.channel.watchPages();
    const wants = layers.map((layer) => [layer, this.#kind.wantedBy(layer)] as const);
    const wanted = new Set([...always, ...wants.flatMap(([, names]) => names)]);
    const hooked = new Set([
      ...always,
      ...wants.flatMap(([layer, names]) => this.#kind.timer(layer) ? [] : names),
    ]);
    this.#names.forEach((name, number) => {
      const policy = always.includes(name) ? "block" : this.#spec.policyOf(name);
      if (policy === "record") this.channel.allowNotes();
      const other = this.#spec.live ? HANDED.later : HANDED.never;
      const over = hooked.has(name) ? HANDED.over : HANDED.timed;
      if (wanted.has(name) && over === HANDED.timed) this.channel.allowNotes();
      this.channel.hand(
        number,
        wanted.has(name) ? { block: over, record: HANDED.noted, skip: other }[policy] : other,
      );
    });
    this.#handlers.clear();
    this.#late.refresh(hooked, wants);
  }

  /** Hands the state of a layer to the layer that takes its place, in all programs. */
  handOver(old: Kind, layer: Kind): void {
    this.#hooks.handOver(old, layer, this.#programs.values());
  }

  /** Tells layers of the calls that programs have noted until now, and returns how many. */
  drain(): number {
    let count = 0;
    for (let more = 1; more > 0 && count < NOTES && !this.#isClosed; count += more) {
      this.channel.hear(); // notes may be on their way
      more = this.#tellNotes(this.#isOver, RELEASE);
    }
    return count;
  }

  /** Tells of the calls before another one: a wait that is not over now comes after that. */
  #tellEarlier(): void {
    if (this.#late.isUsed) this.#tellNotes(false, (command) => this.#late.mayTakeLong(command) ? Infinity : 0);
  }

  /** Calls that are being made are answered if that takes so many milliseconds. */
  #tellNotes(areLast: boolean, patience: number | ((command: number) => number)): number {
    this.#finishLate();
    return this.#notes.drain(
      (note) => {
        const { command, link, thread, time, took, block, view } = note, name = this.#names[command];
        if (name === undefined) return;
        if (note.late !== undefined) {
          this.#answerLate(note, name);
          return this.#captures.free(note);
        }
        if (took !== undefined) return this.#tellTimed(name, took);
        const args = takenArguments(block, parseSignature(this.#kind.signatureOf(name)), this.channel.processor);
        const steps = this.#spec.copies.get(name);
        const call = {
          ...steps && { copies: copiesIn(view, steps) },
          command: name,
          args,
          thread: link << 32n | BigInt(thread),
          tid: thread,
          time,
          lost: this.lost,
        };
        for (const layer of this.#spec.layers.all) this.#tellOf(layer, call);
      },
      areLast,
      patience,
    );
  }

  /** Runs the hooks of a call that has gone on by itself. */
  #answerLate(note: Note, name: string): void {
    const program = [...this.#programs.values()].find(({ link }) => link === note.link);
    const handler = this.#handlers.of(note.command);
    if (!program || !handler) return void this.#unseen++;
    const call = new LateCall(this.channel, note, program.process);
    const copies = () => copiesIn(note.view, this.#late.copiesOf(name));
    const memory = new NotedMemory(program.memory, copies, () => call.isAway);
    this.#within({ call, program, memory }, memory, () => {
      const args = call.arguments(handler.signature);
      this.#captures.fromNote(note, name, args, program.memory, copies());
      handler.run(...args);
    });
    this.#late.choose(note, this.#isAlone);
  }

  /** Calls that no layer saw: there was no room for them, they were not noted to the end, or too many waited. */
  get lost(): number {
    return this.#isClosed ? this.#lost : this.channel.lost + this.#notes.unwritten + this.#unseen;
  }

  #tellTimed(name: string, nanoseconds: number): void {
    for (const layer of this.#spec.layers.all) this.#kind.timer(layer)?.(name, nanoseconds);
  }

  #tellOf(layer: Kind, call: NotedCall): void {
    const listener = this.#kind.listener(layer, call.command);
    if (!listener) return;
    try {
      const { pulse } = this.#spec, place = `recorded ${call.command}`;
      const tell = () => blaming(layer.name, place, () => listener(call));
      pulse ? pulse.marked(`${layer.name}, ${place}`, tell as NativeCall)() : tell();
    } catch (error) {
      this.#tell(error);
    }
  }

  /** The number of connected programs: those that have left since the last turn of answers do not count. */
  get programs(): number {
    if (!this.#isClosed) this.#dismissLeft();
    return this.#programs.size;
  }

  /** Ends the session: programs go on without the layers. */
  async close(): Promise<void> {
    if (this.#isOver) return await this.#running;
    this.#isOver = true;
    this.channel.shut();
    this.#names.forEach((_, number) => this.channel.hand(number, HANDED.never));
    this.channel.ring();
    await this.#running;
    this.#serve(); // calls that came at the last moment pass on
    for (const program of [...this.#programs.values()]) this.#dismiss(program);
    this.drain();
    this.#lost = this.lost;
    this.#isClosed = true;
    this.#early.tellRest();
    this.#late.tellOthers(this.#spec.log);
    this.channel.close();
  }

  async #run(): Promise<void> {
    let bell = this.channel.bell;
    while (!this.#isOver) {
      this.#spare();
      await this.channel.wait(bell, this.#late.isUsed ? NOTES_LOOK : LOOK);
      bell = this.#turn();
      this.drain();
      this.#dismissLeft();
    }
  }

  /** Answers calls for a while: until none has come for a moment. Returns the bell as it was then. */
  #turn(): number {
    const end = performance.now() + TURN;
    for (let wasBusy = false;;) {
      const { bell } = this.channel, isBusy = this.#serve();
      wasBusy ||= isBusy;
      if (this.#isOver || !wasBusy || performance.now() > end) return bell;
      if (isBusy) continue;
      if (this.#late.isUsed) this.#tellNotes(false, RELEASE);
      this.#spare();
      this.channel.waitHere(bell, IDLE);
      if (this.channel.bell === bell) return bell;
    }
  }

  /** Forgets the programs that have said that they leave, or have ended. */
  #dismissLeft(): void {
    this.channel.hear();
    for (const slot of this.channel.slots) {
      if (this.channel.state(slot) === STATE.left && !this.#isAnswered(slot)) this.#leave(slot);
    }
    for (const program of [...this.#programs.values()]) if (program.isGone) this.#dismiss(program);
  }

  /** Answers all calls that wait. Returns whether there were any. */
  #serve(): boolean {
    let isBusy = false;
    for (const slot of this.channel.slots) {
      const state = this.channel.state(slot);
      if (state !== STATE.called && state !== STATE.left && state !== STATE.abandoned) continue;
      if (this.#isAnswered(slot)) continue;
      if (state === STATE.called && this.#notes.isDraining && Call.isNotedAt(this.channel.view, slot)) continue; // in order
      this.#finishLate();
      if (state === STATE.abandoned) this.channel.change(slot, state, STATE.free);
      if (state === STATE.left) this.#leave(slot);
      if (state !== STATE.called || !this.channel.change(slot, STATE.called, STATE.served)) continue;
      isBusy = true;
      this.#answer(new Call(this.channel, slot));
    }
    return isBusy;
  }

  /** Whether a call in a slot is being answered. */
  #isAnswered(slot: number): boolean {
    return this.#answers.some(({ call }) => call.slot === slot && !call.isReleased);
  }

  #answer(call: Call): void {
    if (call.command === HELLO) return this.#welcome(call);
    if (call.isNoted) return this.#capture(call);
    this.#tellEarlier();
    const program = this.#programs.get(call.process), handler = this.#handlers.of(call.command);
    if (!program || !handler || this.#isOver) return call.pass();
    if (this.#answers.length >= MOST_WAITING) {
      this.#unseen++;
      return call.pass();
    }
    const memory = readFrom(program.memory);
    this.#answers.push({ call, program });
    let result: unknown;
    try {
      program.memory.forget();
      result = requireResult(handler, handler.run(...call.arguments(handler.signature)));
    } catch (error) {
      if (!(error instanceof ProgramGone)) this.#tell(error);
      result = handler.failure;
    } finally {
      readFrom(memory);
      this.#answers.pop();
      if (program.hasLeft) this.#close(program);
    }
    this.#captures.refresh();
    this.#late.choose(call, this.#isAlone);
    call.finish(handler.signature, result);
  }

  /** A listener that throws must not end the answering. */
  #tell(error: unknown): void {
    try {
      this.#spec.onError(error);
    } catch (another) {
      console.error(another);
    }
  }

  #welcome(call: Call): void {
    const [data] = call.arguments("q:q") as [bigint];
    let welcome = 0n;
    try {
      const earlier = this.#programs.get(call.process);
      if (earlier) this.#dismiss(earlier);
      this.#dismissLeft();
      requireApart(this.#programs.values(), data);
      const answering = () => this.#programs.has(call.process) ? this.#answers.at(-1)?.call.slot ?? 0 : call.slot;
      const peer = this.channel.peer(call.process, answering);
      const program = new Program(peer, BigInt(this.connected + 1), data, this.channel.processor);
      program.memory.requireWaiting = () => this.#answers.at(-1)?.call.requireWaiting();
      this.#programs.set(call.process, program);
      welcome = BigInt(++this.connected);
    } catch (error) {
      this.#programs.delete(call.process);
      if (error instanceof ProgramGone) { // killed while it connected: nobody else frees the slot
        this.channel.change(call.slot, STATE.served, STATE.free);
        return;
      }
      this.#spec.log(`process ${call.process}: ${(error as Error).message}`);
    }
    call.finish("q:q", welcome);
  }

  /** The last instance of a program is gone. */
  #leave(slot: number): void {
    const { view } = this.channel, program = this.#programs.get(view.getUint32(slot + SLOT.process, true));
    const link = view.getBigUint64(slot + SLOT.link, true);
    this.channel.change(slot, STATE.left, STATE.free);
    if (program?.link === link) this.#dismiss(program);
  }

  /** Forgets a program, and frees the slots that it can no longer free. */
  #dismiss(program: Program): void {
    const isGone = program.isGone;
    if (this.#late.isUsed) this.#tellNotes(isGone, 0);
    this.#programs.delete(program.process);
    program.hasLeft = true;
    this.#close(program);
    if (!isGone) return;
    for (const slot of this.channel.slots) {
      if (this.channel.view.getUint32(slot + SLOT.process, true) !== program.process) continue;
      if (!this.#isAnswered(slot)) this.channel.change(slot, this.channel.state(slot), STATE.free);
    }
  }

  /** Closes a program that has left, unless hooks still work for it. */
  #close(program: Program): void {
    if (!this.#answers.some((answer) => answer.program === program)) program.close();
  }

  #request(address: bigint, signature: string, args: readonly (number | bigint)[]): unknown {
    const { call, program } = this.#answers.at(-1)!;
    if (address === 0n) throw new TypeError("Cannot call a command that nobody below has");
    const { pulse } = this.#spec, before = pulse?.enter(0);
    this.#captures.refresh(); // memory that is freed now is gathered no longer
    try {
      const result = call.request(address, signature, args, () => this.#whileCalling(call, program));
      if (call.slot >= 0) this.#tellEarlier(); // the call may have waited for those
      return result;
    } finally {
      pulse?.enter(before!);
      program.memory.forget();
    }
  }

  get #isAlone(): boolean {
    return this.connected <= 1 && !this.#isOver;
  }

  /** Captures before calls that wait for that alone, once the notes of all calls before are told. */
  #captureAll(): void {
    for (const slot of this.channel.slots) {
      if (this.channel.state(slot) !== STATE.called || !Call.isNotedAt(this.channel.view, slot)) continue;
      if (this.channel.change(slot, STATE.called, STATE.served)) this.#capture(new Call(this.channel, slot));
    }
  }

  /** Lets layers take what a call hands to the device, before the program goes on. */
  #capture(call: Call): void {
    const program = this.#programs.get(call.process), name = this.#names[call.command];
    if (!program || this.#isOver || !this.#kind.captured.includes(name)) return call.pass();
    if (!this.#notes.isDraining) this.#tellNotes(false, 0); // of calls before this one
    const args = call.arguments(this.#kind.signatureOf(name));
    this.#within({ call, program }, program.memory, () => this.#captures.now(name, args));
    call.pass();
  }

  #spare(): void {
    for (const layer of this.#spec.layers.all) this.#kind.spare(layer);
  }

  /** Answers other threads while one makes a call that takes its time: the call may wait for them. */
  #whileCalling(call: AnsweredCall, program: Program): void {
    const { bell } = this.channel;
    this.#spare();
    if (!call.isAway) return;
    if (call.age < PROMPT) return this.channel.waitHere(bell, PROMPT);
    call.noteRests(() => this.#spec.layers.all.flatMap((layer) => this.#kind.rest(layer) ?? []));
    if (call.slot >= 0) this.#tellEarlier();
    if (this.#serve() || !call.isAway) return;
    this.#release();
    this.channel.waitHere(bell, this.#answers.length > 1 ? RELEASE : LOOK);
    if (program.isGone || !program.hasThread(call.thread)) throw new ProgramGone();
  }

  /** Ends the hooks of calls that went on by themselves and are over, before those of later calls run. */
  #finishLate(): void {
    for (const answer of [...this.#answers]) {
      if (!(answer.call instanceof LateCall)) continue;
      answer.call.releaseAfter(0, (rests, result) => this.#finishEarly(answer, rests, result));
    }
  }

  /** Lets threads go on whose answers wait for the end of the last one. */
  #release(): void {
    this.#finishLate();
    for (const answer of this.#answers.slice(0, -1)) {
      const { call } = answer;
      if (call instanceof LateCall) continue;
      const isReleased = call.releaseAfter(RELEASE, (rests, result) => this.#finishEarly(answer, rests, result));
      if (isReleased) this.#early.note(this.#names[call.command], call.thread);
    }
  }

  /** Runs the rests of the hooks of a call, innermost first, amid the hooks of another call. */
  #finishEarly(answer: Answer, rests: readonly Rest[], result: unknown): void {
    const memory = answer.memory ?? answer.program.memory;
    this.#within(answer, memory, () => rests.toReversed().forEach((rest) => rest(result)));
  }

  /** Does a step of an answer in the memory of its program. Errors are told, unless the program is gone. */
  #within(answer: Answer, memory: OtherMemory, step: () => void): void {
    const before = readFrom(memory);
    this.#answers.push(answer);
    try {
      answer.program.memory.forget();
      step();
    } catch (error) {
      if (!(error instanceof ProgramGone)) this.#tell(error);
    } finally {
      readFrom(before);
      this.#answers.pop();
    }
  }
}
