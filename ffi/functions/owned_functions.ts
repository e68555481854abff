import { LOOKUP } from "../emit/layout.ts";
import type { Emitter } from "../emit/emitter.ts";
import { emitterForThisMachine, loadEmitted } from "../image/emitted.ts";
import type { Image } from "../image/image.ts";
import { LookupTable } from "./lookup_table.ts";
import { publish64, threadId } from "../machine.ts";
import { storeAtThreadEnd } from "../thread_end.ts";

/** What {@linkcode OwnedFunctions} is to have. Names must differ. */
export interface OwnedSpec {
  /** What the word of the owner's error holds when there is none, 32 bits. */
  readonly noError: number;
  /** Functions that jump through a table of addresses, by their places there. */
  readonly tabled: readonly string[];
  /** Functions that clear the owner's error and go on to an address; `true` for those whose first argument decides. */
  readonly routes: Iterable<readonly [name: string, byFirstArgument: boolean]>;
  /** A function that returns the error of the calling thread and clears it. */
  readonly takeError: string;
  /** A function that finds addresses by name. */
  readonly lookup: string;
  /** Functions that return a value for a first argument of NULL, where `second` is the second if it is given, and go on with any other. */
  readonly defaulted: Iterable<readonly [name: string, second?: number]>;
  /** Functions that jump to an address. */
  readonly plain: Iterable<string>;
  /** Functions that answer by the first argument, with `undefined` whatever that is, and go on to an address with any other. */
  readonly answers: Iterable<readonly [name: string, given: readonly (number | undefined)[]]>;
  /** Functions that have another refuse a NULL, and return these 32 bits. */
  readonly refusals: Iterable<readonly [name: string, failure: number]>;
}

/** Where a route goes on. */
export interface RouteTargets {
  /** The owner. */
  readonly address: bigint;
  /** All other threads. */
  readonly elsewhere: bigint;
  /** The owner with a first argument below 4 GiB, where that is looked at. */
  readonly own?: bigint;
}

/** Where the functions that are there once go on. */
export interface CommonTargets {
  /** An `int32_t (void)` that returns and clears the driver's error of the calling thread. */
  readonly error: bigint;
  /** What {@linkcode OwnedSpec.refusals} call with a NULL. */
  readonly refuse: bigint;
  /** Where the owner goes with unknown names. */
  readonly miss: bigint;
  /** Where all others go with them. */
  readonly missElsewhere: bigint;
}

/** A route's places in the image's data. */
interface Places {
  readonly slot: number;
  readonly elsewhere: number;
  readonly own?: number;
}

/**
 * Functions of a loader whose TypeScript one thread runs, the owner: machine
 * code that any thread may call. No target may be 0n when it is called.
 */
export class OwnedFunctions {
  readonly #image: Image;
  readonly #parts: Parts;
  /** Takes back that nobody owns them once this thread has ended: another one may have its place then. */
  readonly #disown: () => void;
  #names: LookupTable;

  private constructor(image: Image, parts: Parts, noError: bigint, names: readonly string[]) {
    this.#image = image;
    this.#parts = parts;
    image.data.setBigUint64(parts.owner, threadId(), true);
    this.#disown = storeAtThreadEnd(image.dataAddress + BigInt(parts.owner), 0n);
    image.data.setBigUint64(parts.error, noError, true);
    this.#names = this.#publish(new LookupTable(names.length, names.reduce((sum, { length }) => sum + length + 1, 0)));
  }

  /** Makes them, owned by this thread; `undefined` where emitted code cannot be used. */
  static make(spec: OwnedSpec): OwnedFunctions | undefined {
    const emitter = emitterForThisMachine();
    if (!emitter) return;
    const parts = emit(emitter, spec), image = loadEmitted(emitter);
    const names = [...spec.tabled, ...parts.routes.keys()];
    return image && new OwnedFunctions(image, parts, BigInt(spec.noError), names);
  }

  /** A function's address. Throws a `RangeError` if there is none of that name. */
  address(name: string): bigint {
    return this.#image.address(name);
  }

  /** The owner's error: the word that machine code reads and clears, and where it lies in the view. */
  get error(): { readonly view: DataView; readonly at: number } {
    return { view: this.#image.data, at: this.#parts.error };
  }

  /** Sets where the functions go on that are there once. */
  aim(targets: CommonTargets): void {
    for (const [name, at] of Object.entries(this.#parts.common)) this.#set(at, targets[name as keyof CommonTargets]);
  }

  /** Sets which tables the tabled functions go by: addresses of arrays that live as long as these functions. */
  useTables(table: bigint, elsewhere: bigint): void {
    this.#set(this.#parts.table, table);
    this.#set(this.#parts.elsewhere, elsewhere);
  }

  /** Sets where a route goes on. */
  lead(name: string, { address, elsewhere, own }: RouteTargets): void {
    const places = this.#parts.routes.get(name)!;
    this.#set(places.elsewhere, elsewhere);
    this.#set(places.slot, address);
    if (places.own !== undefined) this.#set(places.own, own ?? address);
  }

  /** Sets where a plain function jumps to. */
  point(name: string, address: bigint): void {
    this.#set(this.#parts.plain.get(name)!, address);
  }

  /** Sets what a function answers, in the order of what it is given, and where it goes on. */
  tell(name: string, values: readonly bigint[], other: bigint): void {
    const places = this.#parts.answers.get(name)!;
    [...values, other].forEach((value, index) => this.#set(places[index], value));
  }

  /** Sets what a function with a default returns, and where it goes on. */
  answer(name: string, value: bigint, other: bigint): void {
    const places = this.#parts.defaults.get(name)!;
    this.#set(places.value, value);
    this.#set(places.slot, other);
  }

  /** Lets the lookup answer a name with an address; with 0n it answers NULL. Safe while native code is asking. */
  name(name: string, address: bigint): void {
    if (!this.#names.set(name, address)) this.#names = this.#publish(this.#names.grown(name, address));
  }

  /** Gives all back. Nothing of it may be called any more. */
  close(): void {
    this.#disown();
    this.#image.unload();
    for (const { block } of this.#parts.tables) block.close();
  }

  #publish(table: LookupTable): LookupTable {
    this.#parts.tables.push(table); // those before may still be read
    publish64(this.#image.dataAddress + BigInt(this.#parts.record + LOOKUP.table), table.block.address);
    return table;
  }

  #set(at: number, address: bigint): void {
    this.#image.data.setBigUint64(at, address, true);
  }
}

/** What lies where in the image's data. */
interface Parts {
  readonly owner: number;
  readonly error: number;
  readonly table: number;
  readonly elsewhere: number;
  readonly record: number;
  readonly common: Readonly<Record<keyof CommonTargets, number>>;
  readonly routes: ReadonlyMap<string, Places>;
  readonly plain: ReadonlyMap<string, number>;
  readonly answers: ReadonlyMap<string, readonly number[]>;
  readonly defaults: ReadonlyMap<string, { readonly value: number; readonly slot: number }>;
  readonly tables: LookupTable[];
}

function emit(emitter: Emitter, spec: OwnedSpec): Parts {
  const { code } = emitter, reserve = () => code.reserve(), record = code.reserve(LOOKUP.size);
  const mine = { owner: reserve(), error: reserve(), noError: spec.noError };
  const [table, elsewhere, driver, refuse, slot, missElsewhere] = Array.from({ length: 6 }, reserve);
  const routes = new Map<string, Places>(), defaults = new Map<string, { value: number; slot: number }>();
  spec.tabled.forEach((name, index) => emitter.tableJump(name, { owner: mine.owner, table, elsewhere, index }));
  for (const [name, byFirst] of spec.routes) {
    const places = { slot: reserve(), elsewhere: reserve(), ...byFirst ? { own: reserve() } : {} };
    routes.set(name, places);
    emitter.route(name, { ...mine, ...places });
  }
  for (const [name, second] of spec.defaulted) {
    const places = { value: reserve(), slot: reserve() };
    defaults.set(name, places);
    emitter.defaulted(name, { ...places, second });
  }
  const answers = new Map<string, number[]>(), plain = new Map<string, number>();
  for (const name of spec.plain) {
    plain.set(name, reserve());
    emitter.slotJump(name, plain.get(name)!);
  }
  for (const [name, given] of spec.answers) {
    const values = given.map(reserve), other = reserve();
    answers.set(name, [...values, other]);
    const each = given.map((argument, index) => ({ argument, value: values[index] }));
    emitter.answer(name, { before: driver, answers: each, slot: other });
  }
  emitter.takeError(spec.takeError, { ...mine, slot: driver });
  emitter.nameLookup(spec.lookup, { ...mine, record, before: driver, slot, elsewhere: missElsewhere });
  for (const [name, failure] of spec.refusals) emitter.refusal(name, { slot: refuse, failure });
  const common = { error: driver, refuse, miss: slot, missElsewhere };
  return {
    owner: mine.owner,
    error: mine.error,
    table,
    elsewhere,
    record,
    common,
    routes,
    plain,
    answers,
    defaults,
    tables: [],
  };
}
