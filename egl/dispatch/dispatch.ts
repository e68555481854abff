import { type EntrySource, resolveAll } from "./fill.ts";
import { HookTable, NativeTable } from "./hook_table.ts";
import { eglCommands, glCommands } from "./names.ts";
import { StandIns } from "./stand_ins.ts";

/** The hooks of a context: 1 for OpenGL ES 1.x, 2 for 2.0 and later. */
export type HookVersion = 1 | 2;

/** The hook tables of one driver in this isolate, and which of them is current. */
export class Dispatch {
  /** Holds the addresses of the current table: what generated code reads at every call. */
  readonly now: { addresses: readonly bigint[] };
  /** The same without layers. */
  readonly below: { addresses: readonly bigint[] };
  /** The driver's EGL functions by slot; 0n for those it lacks. */
  readonly egl: readonly bigint[];
  /** The functions for commands that are missing. */
  readonly standIns: StandIns;
  /** Called when another table becomes current. */
  onUse: (() => void) | undefined;
  readonly #source: EntrySource;
  readonly #open: boolean;
  readonly #tables = new Map<HookVersion, HookTable>();
  readonly #none: readonly bigint[];
  #current: HookTable | undefined;
  #nativeNone: NativeTable | undefined;
  #elsewhere: NativeTable | undefined;
  readonly #ledElsewhere = new Map<number, bigint>();
  #named = new Set<number>();

  /**
   * Resolves the EGL functions; GL follows when first needed.
   * @param open Whether the driver has an address for any GL name, so that only versions and extensions tell what it can do.
   */
  constructor(source: EntrySource, open: boolean, say: (message: string) => void) {
    this.#source = source;
    this.#open = open;
    this.standIns = new StandIns(say);
    this.egl = resolveAll(source, "egl", eglCommands.names);
    this.#none = new Array(glCommands.names.length).fill(this.standIns.noContext);
    this.now = { addresses: this.#none };
    this.below = { addresses: this.#none };
  }

  /** The table of a version, filled at first need. */
  table(version: HookVersion): HookTable {
    const known = this.#tables.get(version);
    if (known) return known;
    const table = new HookTable(this.#source, version === 1 ? "gles1" : "gles2", this.standIns);
    if (this.#open) table.hideAll();
    for (const slot of this.#named) table.name(slot);
    this.#tables.set(version, table);
    return table;
  }

  /**
   * Makes commands go by the hooks of a version, or by those that say there is
   * no context. Native code gets `answers` in the place of the driver's functions.
   */
  use(version: HookVersion | undefined, answers?: ReadonlyMap<number, bigint>): void {
    const table = version === undefined ? undefined : this.table(version);
    table?.answer(answers);
    this.#current = table;
    this.now.addresses = table?.addresses ?? this.#none;
    this.below.addresses = table?.own ?? this.#none;
    this.onUse?.();
  }

  /** The table of native code on this isolate's thread. */
  get native(): NativeTable {
    return this.#current?.native ?? (this.#nativeNone ??= new NativeTable(this.#none));
  }

  /**
   * The table for native code on all other threads, whose contexts may have
   * either version: the driver knows what is current there.
   */
  get elsewhere(): NativeTable {
    return this.#elsewhere ??= new NativeTable(
      glCommands.names.map((_, slot) => this.#ledElsewhere.get(slot) ?? this.bottomElsewhere(slot)),
    );
  }

  /** Leads a command of other threads to a layer, or with `undefined` back. */
  leadElsewhere(slot: number, address: bigint | undefined): void {
    if (address === undefined) this.#ledElsewhere.delete(slot);
    else this.#ledElsewhere.set(slot, address);
    this.#elsewhere?.set(slot, address ?? this.bottomElsewhere(slot));
  }

  /** The address of a command on other threads, without layers. */
  bottomElsewhere(slot: number): bigint {
    return this.table(2).found(slot) || this.table(1).found(slot) || this.table(2).below(slot);
  }

  /** A command that scripts name: if it is missing, its stand-in is to say which. */
  name(slot: number): void {
    this.#named.add(slot);
    for (const table of this.#tables.values()) table.name(slot);
  }

  /** Takes the version and extensions of a context that is current for the first time. */
  admit(hooks: HookVersion, version: readonly [number, number], extensions: ReadonlySet<string>): void {
    const table = this.table(hooks);
    if (this.#open) table.admit(hooks === 1 ? "gles1" : "gles2", version, extensions);
    if (!extensions.has("GL_EXT_debug_marker")) table.silenceMarkers();
    for (const slot of this.#named) table.name(slot);
  }

  /**
   * Admits every command for a context of desktop OpenGL: under which of its
   * versions and extensions the shared commands exist, nobody can tell.
   */
  admitAll(hooks: HookVersion): void {
    if (this.#open) this.table(hooks).showAll();
  }

  /** Gives the stand-ins back. No command may be called any more. */
  close(): void {
    for (const table of [this.#nativeNone, this.#elsewhere]) table?.close();
    for (const table of this.#tables.values()) table.native.close();
    this.standIns.close();
  }
}
