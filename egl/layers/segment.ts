import type { ForeignThreadPolicy } from "../../loader/layer.ts";
import { answersCrossing, callOnCaller } from "../../ffi/thunk/cross_thread_gate.ts";
import { createThunk, type Thunk } from "../../ffi/thunk/thunk.ts";
import type { ForeignCalls } from "../../loader/layers/hooks/foreign_calls.ts";
import type { RawCommand } from "../api/state.ts";
import { failureOf } from "../api/forward.ts";
import { signatureOf } from "../command/spec.ts";
import { hasManyFloats } from "../dispatch/caller.ts";
import { entered } from "./code.ts";
import { commandNamed, isOfThread } from "./commands.ts";
import type { GlesCommands, GlesLayer } from "./gles_layer.ts";
import { LayerInUse } from "./hooks.ts";
import type { Level } from "./bottom.ts";

const POLICIES: readonly ForeignThreadPolicy[] = ["skip", "record", "block"];

/** TypeScript layers next to each other, above a native layer or the bottom. The layers can change. */
export class Segment {
  readonly #below: (name: string) => Level;
  readonly #foreign: ForeignCalls;
  readonly #entries = new Map<string, Entry>();
  /** Commands for which the level above got the address of the function below the segment. */
  readonly #passed = new Set<string>();
  #layers: readonly LayerInUse[] = [];

  /** Begins without layers. `below` is the level below the segment. */
  constructor(below: (name: string) => Level, foreign: ForeignCalls) {
    this.#below = below;
    this.#foreign = foreign;
  }

  /** The layers, top to bottom. */
  get layers(): readonly GlesLayer[] {
    return this.#layers.map(({ layer }) => layer);
  }

  /** Whether one of the layers hooks this command by name. */
  isHot(name: string): boolean {
    return this.#layers.some((each) => each.isHot(name));
  }

  /** The commands for which the layers have hooks. */
  names(): Set<string> {
    return new Set(this.#layers.flatMap((each) => each.names()));
  }

  /** A command at the top of the layers. */
  at(name: string): Level {
    const entry = this.#entries.get(name);
    if (entry) return entry;
    if (this.#layers.some((each) => each.hook(name))) return this.#make(name);
    this.#passed.add(name);
    return this.#below(name);
  }

  /**
   * Sets the layers, top to bottom; layers that stay keep their state. A native layer above keeps the addresses that it
   * has. Throws a `TypeError` if a new layer hooks a command whose calls bypass the segment.
   */
  set(layers: readonly GlesLayer[], isBelowNative = false): void {
    const known = this.layers, inUse = layers.map((layer) => this.#layers[known.indexOf(layer)] ?? this.#take(layer));
    if (isBelowNative) {
      inUse.filter(({ layer }) => !known.includes(layer)).forEach((each) => this.#requireReached(each));
    }
    this.#change(inUse);
  }

  #requireReached(inUse: LayerInUse): void {
    const past = inUse.names().find((name) => this.#passed.has(name) && !this.#entries.has(name));
    if (past === undefined) return;
    throw new TypeError(
      `Cannot put ${inUse.layer.name} below a native layer: the native layer calls ${past} past this place; ` +
        `list a layer that hooks ${past} there when the loader is opened`,
    );
  }

  #take(layer: GlesLayer): LayerInUse {
    const inUse: LayerInUse = new LayerInUse(layer, (name) => commandNamed(name) && this.#under(inUse, name));
    if (records(layer)) this.#foreign.options("record"); // the memory must exist before a callback needs it
    return inUse;
  }

  /** Frees the functions. */
  close(): void {
    for (const entry of this.#entries.values()) entry.close();
    this.#entries.clear();
  }

  #change(layers: readonly LayerInUse[]): void {
    this.#layers = layers;
    for (const [name, entry] of this.#entries) this.#lead(name, entry);
  }

  #lead(name: string, entry: Entry): void {
    entry.lead(this.#composed(name), this.#hooking(name).length > 0, this.isHot(name));
  }

  #hooking(name: string): LayerInUse[] {
    return this.#layers.filter((each) => each.hook(name));
  }

  #composed(name: string, layers = this.#layers, below?: RawCommand): RawCommand {
    const isHot = layers.some((each) => each.isHot(name));
    return layers.reduceRight((next, each) => each.over(name, next), below ?? this.#below(name).call(isHot));
  }

  /**
   * The hooks for a call of another thread that waits. The other thread's context is not current here, so that thread
   * calls the function below.
   */
  #blocked(name: string): RawCommand {
    return this.#following(name, (layers) => layers, this.#onCaller(name));
  }

  /** The function below one of the layers; for a call of another thread, that thread carries it out. */
  #under(layer: LayerInUse, name: string): RawCommand {
    const below = (layers: readonly LayerInUse[]) => layers.slice(layers.indexOf(layer) + 1);
    const here = this.#following(name, below);
    if (!isOfThread(name)) return here;
    const there = this.#following(name, below, this.#onCaller(name));
    return (...args) => answersCrossing() ? there(...args) : here(...args);
  }

  /** A command above some of the layers, which are looked up at each call. */
  #following(
    name: string,
    choose: (layers: readonly LayerInUse[]) => readonly LayerInUse[],
    below?: RawCommand,
  ): RawCommand {
    let run: RawCommand, layers: readonly LayerInUse[] | undefined;
    return (...args) => {
      if (layers !== this.#layers) {
        layers = this.#layers;
        run = this.#composed(name, choose(layers), below);
      }
      return run(...args);
    };
  }

  /** The function below the layers, which the waiting thread carries out as if it had bypassed them. */
  #onCaller(name: string): RawCommand {
    const signature = signatureOf(commandNamed(name)!);
    return (...args) => {
      const address = this.#below(name).elsewhere;
      return address === 0n ? failureFor(name) : callOnCaller(address, signature, args)!;
    };
  }

  #make(name: string): Entry {
    const policies = this.#hooking(name).map((each) => POLICIES.indexOf(each.policy(name)));
    const policy = POLICIES[Math.max(0, ...policies)];
    const entry = new Entry(name, this.#below(name), (signature, call) => this.#thunk(name, policy, signature, call));
    this.#lead(name, entry);
    this.#entries.set(name, entry);
    return entry;
  }

  #thunk(name: string, policy: ForeignThreadPolicy, signature: string, call: RawCommand): Thunk {
    const thunk = createThunk(signature, call, {
      ...this.#foreign.options(policy),
      next: this.#below(name).elsewhere,
      blocked: isOfThread(name) ? this.#blocked(name) : undefined,
      failure: failureFor(name),
    });
    if (policy === "record") {
      this.#foreign.listen(thunk, ({ thread, args, lost, caller }) => {
        const told = this.#hooking(name).filter((each) => each.policy(name) === "record");
        const call = { command: name as keyof GlesCommands, thread, args, lost, ...caller! };
        for (const { layer } of told) layer.recorded?.(call);
      });
    }
    return thunk;
  }
}

/** The result for native code of a command that fails. */
function failureFor(name: string): number | bigint {
  const command = commandNamed(name)!, failure = failureOf(command);
  return signatureOf(command)[0] === "q" ? BigInt(failure) : Number(failure);
}

function records({ onForeignThread = "skip" }: GlesLayer): boolean {
  return typeof onForeignThread === "string"
    ? onForeignThread === "record"
    : Object.values(onForeignThread).includes("record");
}

/** A command at the top of a segment. Its function, once made, leads to the current layers. */
class Entry implements Level {
  readonly #name: string;
  readonly #below: Level;
  readonly #make: (signature: string, call: RawCommand) => Thunk;
  readonly #led: { call: RawCommand; isHot: boolean };
  #thunk: Thunk | undefined;
  #isHooked = true;

  constructor(name: string, below: Level, make: (signature: string, call: RawCommand) => Thunk) {
    this.#name = name;
    this.#below = below;
    this.#make = make;
    this.#led = { call: below.call(false), isHot: false };
  }

  get kind(): Level["kind"] {
    return this.#isHooked ? "hook" : this.#below.kind;
  }

  /** The current function. Callers that keep it are told about changes. */
  call(): RawCommand {
    return this.#led.call;
  }

  get address(): bigint {
    const signature = signatureOf(commandNamed(this.#name)!);
    return this.#hooked(signature)?.address ?? this.#below.address;
  }

  get elsewhere(): bigint {
    const signature = signatureOf(commandNamed(this.#name)!);
    return this.#hooked(signature)?.address ?? this.#below.elsewhere;
  }

  #hooked(signature: string): Thunk | undefined {
    if (!this.#isHooked || hasManyFloats(signature)) return undefined; // such calls cannot come back from native code
    return this.#thunk ??= this.#make(signature, entered(commandNamed(this.#name)!, this.#led, this.#led.isHot));
  }

  /** Sets the current function. */
  lead(call: RawCommand, isHooked: boolean, isHot: boolean): void {
    Object.assign(this.#led, { call, isHot });
    this.#isHooked = isHooked;
  }

  close(): void {
    this.#thunk?.free();
  }
}
