import type { ForeignThreadPolicy } from "../../loader/layer.ts";
import { callOnVisitor, isVisited } from "../../ffi/thunk/door.ts";
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
import type { Level } from "./level.ts";

const POLICIES: readonly ForeignThreadPolicy[] = ["skip", "record", "block"];

/** TypeScript layers that stand together, above a native layer or the bottom. They may come and go. */
export class Segment {
  readonly #below: (name: string) => Level;
  readonly #foreign: ForeignCalls;
  readonly #entries = new Map<string, Entry>();
  /** Commands of which whoever stands above was given the address of what is below. */
  readonly #passed = new Set<string>();
  #layers: readonly LayerInUse[] = [];

  /** Begins without layers; `below` is what it stands on. */
  constructor(below: (name: string) => Level, foreign: ForeignCalls) {
    this.#below = below;
    this.#foreign = foreign;
  }

  /** The layers, top to bottom. */
  get layers(): readonly GlesLayer[] {
    return this.#layers.map(({ layer }) => layer);
  }

  /** Whether one of them is after this command in particular. */
  isHot(name: string): boolean {
    return this.#layers.some((each) => each.isHot(name));
  }

  /** The commands they have hooks for. */
  names(): Set<string> {
    return new Set(this.#layers.flatMap((each) => each.names()));
  }

  /** A command on top of them. */
  at(name: string): Level {
    const entry = this.#entries.get(name);
    if (entry) return entry;
    if (this.#layers.some((each) => each.hook(name))) return this.#make(name);
    this.#passed.add(name);
    return this.#below(name);
  }

  /**
   * Has these layers from now on, top to bottom; those that stay keep what they
   * know. A native layer above keeps the addresses that it has: throws a
   * `TypeError` if a new layer hooks a command whose calls go past the segment.
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
    if (records(layer)) this.#foreign.options("record"); // its memory must be there before a callback needs it
    return inUse;
  }

  /** Gives the functions back. */
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

  /** The hooks for another thread that waits; what is current there is not current here, so that thread carries out what lies below. */
  #blocked(name: string): RawCommand {
    return this.#following(name, (layers) => layers, this.#onVisitor(name));
  }

  /** What lies below one of the layers: for the thread whose call is answered, if that is another. */
  #under(layer: LayerInUse, name: string): RawCommand {
    const below = (layers: readonly LayerInUse[]) => layers.slice(layers.indexOf(layer) + 1);
    const here = this.#following(name, below);
    if (!isOfThread(name)) return here;
    const there = this.#following(name, below, this.#onVisitor(name));
    return (...args) => isVisited() ? there(...args) : here(...args);
  }

  /** A command on top of some of the layers, whichever there are when it is called. */
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

  /** What lies below the layers, carried out by the thread that waits: as if it had been let past them. */
  #onVisitor(name: string): RawCommand {
    const signature = signatureOf(commandNamed(name)!);
    return (...args) => {
      const address = this.#below(name).elsewhere;
      return address === 0n ? failureFor(name) : callOnVisitor(address, signature, args)!;
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
      this.#foreign.listen(thunk, ({ thread, args, lost }) => {
        const told = this.#hooking(name).filter((each) => each.policy(name) === "record");
        for (const { layer } of told) layer.recorded?.({ command: name as keyof GlesCommands, thread, args, lost });
      });
    }
    return thunk;
  }
}

/** What native code gets when a command fails. */
function failureFor(name: string): number | bigint {
  const command = commandNamed(name)!, failure = failureOf(command);
  return signatureOf(command)[0] === "q" ? BigInt(failure) : Number(failure);
}

function records({ onForeignThread = "skip" }: GlesLayer): boolean {
  return typeof onForeignThread === "string"
    ? onForeignThread === "record"
    : Object.values(onForeignThread).includes("record");
}

/** A command on top of a segment. Its function, once made, leads to whatever layers there are. */
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

  /** What is called at this moment: whoever keeps it is told of changes. */
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

  /** From now on this is called. */
  lead(call: RawCommand, isHooked: boolean, isHot: boolean): void {
    Object.assign(this.#led, { call, isHot });
    this.#isHooked = isHooked;
  }

  close(): void {
    this.#thunk?.free();
  }
}
