import { LOOKUP } from "../emit/layout.ts";
import type { Emitter } from "../emit/emitter.ts";
import { emitterForThisMachine, type Image, loadEmitted } from "../image/image.ts";
import { LookupTable } from "./lookup.ts";
import { publish64, threadId } from "../machine.ts";
import { storeAtThreadEnd } from "../thread_end.ts";

/** The functions that an {@linkcode OwnedFunctions} has. Names must differ. */
export interface OwnedSpec {
  /** The 32 bits that the owner's error word holds when there is no error. */
  readonly noError: number;
  /** Functions that jump through a table of addresses, in the order of the table. */
  readonly tabled: readonly string[];
  /**
   * Functions that clear the owner's error and jump to an address. With `true`,
   * the first argument decides to which address.
   */
  readonly routes: Iterable<readonly [name: string, byFirstArgument: boolean]>;
  /** A function that returns the error of the calling thread and clears it. */
  readonly takeError: string;
  /** A function that finds addresses by name. */
  readonly lookup: string;
  /**
   * Functions that return a value if the first argument is NULL and, where
   * `second` is given, the second argument is `second`. Otherwise they jump to
   * an address.
   */
  readonly defaulted: Iterable<readonly [name: string, second?: number]>;
  /** Functions that jump to an address. */
  readonly plain: Iterable<string>;
  /**
   * Functions that return a value depending on the first argument, with any
   * other argument jump to an address. `undefined` in the list stands for every
   * argument.
   */
  readonly answers: Iterable<readonly [name: string, given: readonly (number | undefined)[]]>;
  /** Functions that call {@linkcode CommonTargets.refuse} for a NULL and return these 32 bits. */
  readonly refusals: Iterable<readonly [name: string, failure: number]>;
}

/** The addresses to which a route jumps. */
export interface RouteTargets {
  /** Address for calls on the owner's thread. */
  readonly address: bigint;
  /** Address for calls on all other threads. */
  readonly elsewhere: bigint;
  /** Address for calls on the owner's thread with a first argument below 4 GiB, if the first argument decides. */
  readonly own?: bigint;
}

/** Addresses that several functions share. */
export interface CommonTargets {
  /** An `int32_t (void)` that returns and clears the driver's error of the calling thread. */
  readonly error: bigint;
  /** Address of the function that {@linkcode OwnedSpec.refusals} call with a NULL. */
  readonly refuse: bigint;
  /** Address for unknown names on the owner's thread. */
  readonly miss: bigint;
  /** Address for unknown names on all other threads. */
  readonly missElsewhere: bigint;
}

/** A route's places in the image's data. */
interface Places {
  readonly slot: number;
  readonly elsewhere: number;
  readonly own?: number;
}

/**
 * Functions of a loader whose TypeScript runs on one thread, the owner. The
 * functions are machine code that any thread may call. No target may be 0n when
 * it is called.
 */
export class OwnedFunctions {
  readonly #image: Image;
  readonly #parts: Parts;
  /**
   * Cancels the removal of the owner at the end of this thread. Without the
   * removal, another thread could get the same thread pointer and pass for the
   * owner.
   */
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

  /** Makes the functions, owned by this thread; returns `undefined` where emitted code cannot be used. */
  static make(spec: OwnedSpec): OwnedFunctions | undefined {
    const emitter = emitterForThisMachine();
    if (!emitter) return;
    const parts = emit(emitter, spec), image = loadEmitted(emitter);
    const names = [...spec.tabled, ...parts.routes.keys()];
    return image && new OwnedFunctions(image, parts, BigInt(spec.noError), names);
  }

  /** The address of a function. Throws a `RangeError` if no function has the name. */
  address(name: string): bigint {
    return this.#image.address(name);
  }

  /** The owner's error word, which machine code reads and clears: a view, and the word's offset in the view. */
  get error(): { readonly view: DataView; readonly at: number } {
    return { view: this.#image.data, at: this.#parts.error };
  }

  /** Sets the addresses that several functions share. */
  aim(targets: CommonTargets): void {
    for (const [name, at] of Object.entries(this.#parts.common)) this.#set(at, targets[name as keyof CommonTargets]);
  }

  /** Sets the tables of the tabled functions: addresses of arrays that must live as long as these functions. */
  useTables(table: bigint, elsewhere: bigint): void {
    this.#set(this.#parts.table, table);
    this.#set(this.#parts.elsewhere, elsewhere);
  }

  /** Sets where a route jumps to. */
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

  /** Sets the values that a function returns, in the order of its list, and the address for other arguments. */
  tell(name: string, values: readonly bigint[], other: bigint): void {
    const places = this.#parts.answers.get(name)!;
    [...values, other].forEach((value, index) => this.#set(places[index], value));
  }

  /** Sets the value that a function with a default returns, and the address for other arguments. */
  answer(name: string, value: bigint, other: bigint): void {
    const places = this.#parts.defaults.get(name)!;
    this.#set(places.value, value);
    this.#set(places.slot, other);
  }

  /**
   * Sets the address that the lookup returns for a name; with 0n the lookup
   * returns NULL. Safe while native code is asking.
   */
  name(name: string, address: bigint): void {
    if (!this.#names.set(name, address)) this.#names = this.#publish(this.#names.grown(name, address));
  }

  /** Frees all functions. None of them may be called afterwards. */
  close(): void {
    this.#disown();
    this.#image.unload();
    for (const { block } of this.#parts.tables) block.close();
  }

  #publish(table: LookupTable): LookupTable {
    this.#parts.tables.push(table); // native code may still be reading the earlier tables
    publish64(this.#image.dataAddress + BigInt(this.#parts.record + LOOKUP.table), table.block.address);
    return table;
  }

  #set(at: number, address: bigint): void {
    this.#image.data.setBigUint64(at, address, true);
  }
}

/** Offsets in the image's data. */
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
