import type { Api } from "./features.ts";
import { commandsIn, commandsOf } from "./features.ts";
import { otherName, resolveAll } from "./fill.ts";
import { glCommands } from "./names.ts";
import type { EntrySource } from "./source.ts";
import type { StandIns } from "./stand_ins.ts";

/** Commands that do nothing where the driver lacks them: annotations for tools. */
export const MARKERS: readonly string[] = ["glInsertEventMarkerEXT", "glPushGroupMarkerEXT", "glPopGroupMarkerEXT"];

const lists = new Map<Api, readonly string[]>();

/** The names of an API's commands, the same list each time. */
function namesOf(api: Api): readonly string[] {
  const known = lists.get(api) ?? [...commandsOf(api)];
  lists.set(api, known);
  return known;
}

/** The addresses that the GL commands of one API version lead to, by slot. */
export class HookTable {
  /** What is called: of the driver, of a layer, a stand-in. Read at every call. */
  readonly addresses: bigint[];
  readonly #found: readonly bigint[];
  readonly #standIns: StandIns;
  readonly #hidden: Set<number>;

  /** Asks the driver for every command of the API. */
  constructor(source: EntrySource, api: Api, standIns: StandIns) {
    const names = namesOf(api), resolved = resolveAll(source, api, names);
    const found: bigint[] = new Array(glCommands.names.length).fill(0n);
    names.forEach((name, index) =>
      found[glCommands.slot(name)!] = resolved[index] || source.findExported(otherName(name), api)
    );
    this.#found = found;
    this.#standIns = standIns;
    this.#hidden = new Set();
    this.addresses = found.map((address, slot) => address || this.#standInFor(slot));
  }

  /** Whether a command leads to the driver or a layer. */
  has(slot: number): boolean {
    return this.#found[slot] !== 0n && !this.#hidden.has(slot);
  }

  /** The driver's own function; 0n if it has none. */
  bottom(slot: number): bigint {
    return this.#hidden.has(slot) ? 0n : this.#found[slot];
  }

  /** Leads a command elsewhere: to a layer. */
  set(slot: number, address: bigint): void {
    this.addresses[slot] = address;
  }

  /** From now on a missing command says its name. */
  name(slot: number): void {
    if (this.addresses[slot] === this.#standIns.unnamed) {
      this.addresses[slot] = this.#standIns.named(glCommands.names[slot]);
    }
  }

  /** Hides every command: drivers that have an address for any name have not shown yet what they can do. */
  hideAll(): void {
    this.#found.forEach((address, slot) => {
      if (address !== 0n) this.#hidden.add(slot);
      this.addresses[slot] = this.#standInFor(slot);
    });
  }

  /** Shows again what a version with these extensions has. */
  admit(api: Api, version: readonly [number, number], extensions: ReadonlySet<string>): void {
    for (const name of commandsIn(api, version, extensions)) {
      const slot = glCommands.slot(name)!;
      if (!this.#hidden.delete(slot)) continue;
      this.addresses[slot] = this.#found[slot];
    }
  }

  /** Makes the marker commands do nothing, whatever the driver has. */
  silenceMarkers(): void {
    for (const name of MARKERS) {
      const slot = glCommands.slot(name)!;
      this.#hidden.add(slot);
      this.addresses[slot] = this.#standIns.nothing;
    }
  }

  #standInFor(slot: number): bigint {
    return MARKERS.includes(glCommands.names[slot]) ? this.#standIns.nothing : this.#standIns.unnamed;
  }
}
