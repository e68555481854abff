import { readCString } from "../../ffi/cstring.ts";
import { createThunk, type Thunk } from "../../ffi/thunk/thunk.ts";
import type { NativeFunction } from "../../ffi/stubs.ts";
import { ForeignCalls } from "../../loader/layers/hooks/foreign_calls.ts";
import type { LayerGroup, LayerPlaces } from "../../loader/layers/hooks/places.ts";
import type { EglScope } from "../api/scope.ts";
import { glCommands } from "../dispatch/names.ts";
import { Bottom, type Level } from "./bottom.ts";
import { commandNamed, isGl, QUERIES, walkedNames } from "./commands.ts";
import { gated } from "./code.ts";
import type { GlesLayer } from "./gles_layer.ts";
import { NativeGlesLayer } from "./native_gles_layer.ts";
import { Segment } from "./segment.ts";

type Stage = Segment | NativeGlesLayer;

/** The layers of one loader, native and TypeScript mixed, and the connection of its commands to them. */
export class Chain {
  readonly #scope: EglScope;
  readonly #bottom: Bottom;
  /** The calls of hooked commands that other threads made. */
  readonly foreign: ForeignCalls;
  /** The stages from the bottom up. The top stage is always a segment. */
  readonly #stages: Stage[] = [];
  /** The functions that carry out GL commands without layers, for the commands that lead into layers. */
  readonly #carried = new Map<string, NativeFunction>();
  readonly #led = new Set<string>();
  /** Commands about which native layers were asked when the commands were first found. */
  readonly #included = new Set<string>();
  #getNext: Thunk | undefined;

  /** Begins without layers, with room for a number of calls of other threads. */
  constructor(scope: EglScope, foreignCalls?: number) {
    this.#scope = scope;
    this.foreign = new ForeignCalls(foreignCalls);
    this.#bottom = new Bottom(scope);
    this.#pushSegment();
    scope.procAddresses.onFind = (name) => this.#include(name);
    scope.procAddresses.onForward = (name, address) => this.#forward(name, address);
  }

  /** The layers, top to bottom: native ones by their paths. */
  get layers(): (GlesLayer | string)[] {
    return this.#stages.toReversed().flatMap<GlesLayer | string>((stage) =>
      stage instanceof Segment ? stage.layers : [stage.path]
    );
  }

  /** Adds a TypeScript layer at the top. The layer takes part after {@linkcode Chain.lead}. */
  push(layer: GlesLayer): void {
    this.#top.set([layer, ...this.#top.layers]);
  }

  /**
   * Opens a native layer above the present ones, and initializes it.
   *
   * @throws {DriverError} when it is no layer; everything is as before then.
   */
  pushNative(path: string): void {
    const on = this.#stages.length - 1, layer = new NativeGlesLayer(path, (name) => this.#stages[on].at(name));
    this.#getNext ??= createThunk("q:qq", (id, name) => this.#next(id as bigint, name as bigint));
    this.#stages.push(layer);
    try {
      layer.initialize(this.#getNext.address);
    } catch (error) {
      this.#stages.pop();
      layer.close();
      throw error;
    }
    this.#pushSegment();
  }

  /** The TypeScript layers with the native ones below them, top to bottom. */
  get groups(): LayerGroup<GlesLayer>[] {
    const paths = this.#stages.filter((stage) => stage instanceof NativeGlesLayer).map(({ path }) => path).toReversed();
    return this.#segments.toReversed().map(({ layers }, index) => ({
      typescript: layers,
      native: paths.slice(index, index + 1),
    }));
  }

  /**
   * Arranges the TypeScript layers; {@linkcode Chain.lead} puts that into effect. Throws a `TypeError`, as {@linkcode
   * Segment.set} does, and then changes nothing.
   */
  arrange(places: LayerPlaces<GlesLayer>): void {
    for (const [group, segment] of this.#segments.toReversed().entries()) segment.set(places.of(group), group > 0);
  }

  /** Leads the loader's commands into the current layers. */
  lead(): void {
    const names = new Set([...this.#led, ...this.#stages.flatMap((stage) => [...namesOf(stage)])]);
    for (const name of names) this.#leadOne(name);
  }

  /** Frees everything. No command may be called any more. */
  close(): void {
    for (const stage of this.#stages.toReversed()) stage.close();
    this.#bottom.close();
    this.#getNext?.free();
    this.foreign.close();
  }

  get #top(): Segment {
    return this.#stages.at(-1) as Segment;
  }

  get #segments(): Segment[] {
    return this.#stages.filter((stage) => stage instanceof Segment);
  }

  #pushSegment(): void {
    const on = this.#stages.length - 1;
    const below = on < 0 ? (name: string) => this.#bottom.at(name) : (name: string) => this.#stages[on].at(name);
    this.#stages.push(new Segment(below, this.foreign));
  }

  #next(id: bigint, nameAddress: bigint): bigint {
    const layer = this.#stages.find((stage) => stage instanceof NativeGlesLayer && stage.id === id);
    return (layer as NativeGlesLayer | undefined)?.next(readCString(nameAddress), nameAddress) ?? 0n;
  }

  #leadOne(name: string): void {
    const level = this.#top.at(name), isLayered = level.kind !== "bottom";
    if (isLayered) this.#led.add(name);
    else this.#led.delete(name);
    if (isGl(name)) this.#leadGl(name, level);
    else this.#leadEgl(name, isLayered ? level : undefined);
  }

  #leadEgl(name: string, level: Level | undefined): void {
    this.#scope.intercept(name, level?.call(false));
    this.#scope.procAddresses.layer(name, level);
  }

  #leadGl(name: string, level: Level): void {
    const { gl, state } = this.#scope, isForAll = QUERIES.includes(name), command = commandNamed(name)!;
    const without = this.#carried.get(name) ?? gl.callOf(command);
    if (level.kind === "hook" || level.kind === "native" && (isForAll || this.#mayThrow)) {
      this.#carried.set(name, without);
      const isHot = this.#top.isHot(name), layered = level.call(isHot);
      gl.intercept(name, gated(command, { state, layered, without, isForAll }, isHot));
    } else if (this.#carried.delete(name)) {
      gl.intercept(name, without);
    }
    this.#leadNative(name, level, isForAll);
  }

  /** Whether hooks stand below a native layer: errors of such hooks must be thrown again above it. */
  get #mayThrow(): boolean {
    return this.#segments.some((each) => each !== this.#top && each.layers.length > 0);
  }

  /** Puts a command's functions into the tables that native code uses. */
  #leadNative(name: string, level: Level, isForAll: boolean): void {
    const { dispatch } = this.#scope.state, slot = glCommands.slot(name)!;
    const address = level.kind === "bottom" ? undefined : level.address;
    for (const version of isForAll ? [1, 2] as const : [2] as const) dispatch.table(version).set(slot, address);
    dispatch.leadElsewhere(slot, address && level.elsewhere);
  }

  /** Asks native layers about a command that is not among the walked names, when it is first found. */
  #include(name: string): void {
    if (this.#included.has(name) || isGl(name) || !commandNamed(name) || walkedNames().includes(name)) return;
    this.#included.add(name);
    const natives = this.#stages.filter((stage) => stage instanceof NativeGlesLayer);
    for (const layer of natives) layer.include(name);
    if (natives.length > 0) this.#leadOne(name);
  }

  #forward(name: string, address: bigint): bigint {
    const natives = this.#stages.filter((stage) => stage instanceof NativeGlesLayer);
    return natives.reduce((next, layer) => layer.ask(name, next), address);
  }
}

function namesOf(stage: Stage): Iterable<string> {
  return stage instanceof Segment ? stage.names() : stage.names;
}
