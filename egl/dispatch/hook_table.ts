import { NativeBlock } from "../../ffi/block.ts";
import { type CommandApi, commandsIn, commandsOf, glCommands } from "./names.ts";
import { type EntrySource, otherName, resolveAll } from "./fill.ts";
import type { StandIns } from "./stand_ins.ts";

/** Commands that do nothing where the driver lacks them: annotations for tools. */
export const MARKERS: readonly string[] = ["glInsertEventMarkerEXT", "glPushGroupMarkerEXT", "glPopGroupMarkerEXT"];

const NONE: ReadonlyMap<number, bigint> = new Map();
const lists = new Map<CommandApi, readonly string[]>();

/** The names of an API's commands, the same list each time. */
function namesOf(api: CommandApi): readonly string[] {
  const known = lists.get(api) ?? [...commandsOf(api)];
  lists.set(api, known);
  return known;
}

/** The addresses that the GL commands of one API version lead to, by slot. */
export class HookTable {
  /** The addresses to call: of the driver, of a layer, or of a stand-in. Read at every call. */
  readonly addresses: bigint[];
  /**
   * The addresses without layers, at this moment: the driver's, if the driver
   * is known to have the command, or a stand-in's.
   */
  readonly own: bigint[];
  /** The same for native code, which gets no word of missing commands: addresses with layers. */
  readonly native: NativeTable;
  /** The functions that native code gets in the place of the driver's own for the current context, by slot. */
  #answers: ReadonlyMap<number, bigint> = NONE;
  /** The functions that layers put in the place of commands. */
  readonly #led = new Map<number, bigint>();
  readonly #found: readonly bigint[];
  readonly #standIns: StandIns;
  readonly #hidden: Set<number>;

  /** Asks the driver for every command of the API. */
  constructor(source: EntrySource, api: CommandApi, standIns: StandIns) {
    const names = namesOf(api), resolved = resolveAll(source, api, names);
    const found: bigint[] = new Array(glCommands.names.length).fill(0n);
    names.forEach((name, index) =>
      found[glCommands.slot(name)!] = resolved[index] || source.findExported(otherName(name), api)
    );
    this.#found = found;
    this.#standIns = standIns;
    this.#hidden = new Set();
    this.own = found.map((address, slot) => address || this.#standInFor(slot));
    this.addresses = [...this.own];
    this.native = new NativeTable(this.own);
  }

  /** The driver's function, even if no context has shown yet that it does something; 0n if it has none. */
  found(slot: number): bigint {
    return this.#found[slot];
  }

  /** Whether a command leads to the driver or a layer. */
  has(slot: number): boolean {
    return this.#found[slot] !== 0n && !this.#hidden.has(slot);
  }

  /** The driver's own function as far as contexts have shown it; 0n if it has none. */
  bottom(slot: number): bigint {
    return this.#hidden.has(slot) ? 0n : this.#found[slot];
  }

  /**
   * The address of a command without layers, for callers that keep it: the
   * driver's function even if no context has shown yet that the command works;
   * never 0n.
   */
  below(slot: number): bigint {
    const own = this.own[slot];
    return own === this.#standIns.nothing ? own : this.#found[slot] || own;
  }

  /** Leads a command to a layer, or with `undefined` back. */
  set(slot: number, address: bigint | undefined): void {
    if (address === undefined) this.#led.delete(slot);
    else this.#led.set(slot, address);
    this.addresses[slot] = address ?? this.own[slot];
    this.#show(slot);
  }

  /** Gives native code these functions in the place of the driver's own, until the next call. */
  answer(answers: ReadonlyMap<number, bigint> = NONE): void {
    const before = this.#answers;
    if (answers === before) return;
    this.#answers = answers;
    for (const slot of new Set([...before.keys(), ...answers.keys()])) this.#show(slot);
  }

  /** From now on the stand-in of a missing command says the command's name. */
  name(slot: number): void {
    if (this.own[slot] === this.#standIns.unnamed) this.#put(slot, this.#standIns.named(glCommands.names[slot]));
  }

  /** Hides every command: drivers with an address for any name have not shown yet what they can do. */
  hideAll(): void {
    this.#found.forEach((address, slot) => {
      if (address !== 0n) this.#hidden.add(slot);
      this.#put(slot, this.#standInFor(slot));
    });
  }

  /** Shows again every command that the driver has an address for. */
  showAll(): void {
    for (const slot of this.#hidden) this.#put(slot, this.#found[slot]);
    this.#hidden.clear();
  }

  /** Shows the commands of a version with these extensions again. */
  admit(api: CommandApi, version: readonly [number, number], extensions: ReadonlySet<string>): void {
    for (const name of commandsIn(api, version, extensions)) {
      const slot = glCommands.slot(name)!;
      if (!this.#hidden.delete(slot)) continue;
      this.#put(slot, this.#found[slot]);
    }
  }

  /** Makes the marker commands do nothing, even if the driver has them. */
  silenceMarkers(): void {
    for (const name of MARKERS) {
      const slot = glCommands.slot(name)!;
      this.#hidden.add(slot);
      this.#put(slot, this.#standIns.nothing);
    }
  }

  #put(slot: number, address: bigint): void {
    this.own[slot] = address;
    this.addresses[slot] = this.#led.get(slot) ?? address;
    this.#show(slot);
  }

  #show(slot: number): void {
    this.native.set(slot, this.#led.get(slot) ?? this.#answers.get(slot) ?? this.below(slot));
  }

  #standInFor(slot: number): bigint {
    return MARKERS.includes(glCommands.names[slot]) ? this.#standIns.nothing : this.#standIns.unnamed;
  }
}

/** The addresses that commands lead to, by slot, where machine code reads them. */
export class NativeTable {
  readonly #block: NativeBlock;
  readonly #entries: BigUint64Array;

  /** Begins with these. */
  constructor(addresses: readonly bigint[]) {
    this.#block = new NativeBlock(8 * addresses.length);
    this.#entries = new BigUint64Array(this.#block.bytes.buffer, this.#block.bytes.byteOffset, addresses.length);
    this.#entries.set(addresses);
  }

  /** Address of the first slot. */
  get address(): bigint {
    return this.#block.address;
  }

  /** Leads a command elsewhere. */
  set(slot: number, address: bigint): void {
    this.#entries[slot] = address;
  }

  /** Frees the memory: no machine code may read it any more. A second call does nothing. */
  close(): void {
    this.#block.close();
  }
}
