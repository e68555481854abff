import { declareSignatures } from "../../ffi/stubs.ts";
import { SIGNATURES as EGL_SIGNATURES } from "../gen/egl_table_gen.js";
import { SIGNATURES as GL_SIGNATURES } from "../gen/gl_table_gen.js";
import { resolveAll } from "./fill.ts";
import { HookTable } from "./hook_table.ts";
import { eglCommands, glCommands } from "./names.ts";
import type { EntrySource } from "./source.ts";
import { StandIns } from "./stand_ins.ts";

/** Which hooks a context's commands go by: 1 for OpenGL ES 1.x, 2 for 2.0 and later. */
export type HookVersion = 1 | 2;

/** Lets all stubs lie in one image; see {@linkcode declareSignatures}. */
export function declareImage(): void {
  declareSignatures(`${EGL_SIGNATURES} ${GL_SIGNATURES}`);
}

/** The hook tables of one driver in this isolate, and which of them is current. */
export class Dispatch {
  /** Holds the addresses of the current table: what generated code reads at every call. */
  readonly now: { addresses: readonly bigint[] };
  /** The same without layers. */
  readonly below: { addresses: readonly bigint[] };
  /** The driver's EGL functions by slot; 0n for those it lacks. */
  readonly egl: readonly bigint[];
  /** What stands in for missing functions. */
  readonly standIns: StandIns;
  /** Told when another table is current. */
  onUse: ((addresses: readonly bigint[]) => void) | undefined;
  readonly #source: EntrySource;
  readonly #open: boolean;
  readonly #tables = new Map<HookVersion, HookTable>();
  readonly #none: readonly bigint[];
  #named = new Set<number>();

  /**
   * Resolves the EGL functions; GL follows when first needed.
   * @param open Whether the driver has an address for any GL name, so that only versions and extensions tell what it can do.
   */
  constructor(source: EntrySource, open: boolean, say: (message: string) => void) {
    declareImage();
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

  /** Makes commands go by the hooks of a version, or by those that say there is no context. */
  use(version: HookVersion | undefined): void {
    const table = version === undefined ? undefined : this.table(version);
    this.now.addresses = table?.addresses ?? this.#none;
    this.below.addresses = table?.own ?? this.#none;
    this.onUse?.(this.now.addresses);
  }

  /** A command that scripts name: if it is missing, its stand-in is to say which. */
  name(slot: number): void {
    this.#named.add(slot);
    for (const table of this.#tables.values()) table.name(slot);
  }

  /** What a context that is current for the first time brings: its version and extensions. */
  admit(hooks: HookVersion, version: readonly [number, number], extensions: ReadonlySet<string>): void {
    const table = this.table(hooks);
    if (this.#open) table.admit(hooks === 1 ? "gles1" : "gles2", version, extensions);
    if (!extensions.has("GL_EXT_debug_marker")) table.silenceMarkers();
    for (const slot of this.#named) table.name(slot);
  }

  /** Gives the stand-ins back. No command may be called any more. */
  close(): void {
    this.standIns.close();
  }
}
