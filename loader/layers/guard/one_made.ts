import { LongList } from "../../../ffi/long_at.ts";
import type { LongSet } from "../../../ffi/long_set.ts";
import type { Handling } from "../define/object_pairs.ts";
import type { KnownHandles } from "./known_handles.ts";
import type { HandleWatch } from "./watch.ts";

// deno-lint-ignore no-explicit-any -- the arguments depend on the command
type Arguments = readonly any[];

/** What the watch over one handle leaves to the watch over any number of handles. */
interface Rest {
  readonly returns: NonNullable<HandleWatch["returns"]>;
  /** Undoes what was made: these handles. */
  readonly undo: (args: Arguments, handles: readonly bigint[]) => void;
}

/**
 * The watch over a command that makes one handle, which its owner and its type
 * name. Most commands that make something are such. All of them share the
 * methods of one class: the engine compiles a method well whose calls always
 * lead to the same functions, which is not so with closures that differ in what
 * they close over.
 */
export class OneMade implements HandleWatch {
  /** See {@linkcode HandleWatch.place}. */
  readonly place: number;
  /** See {@linkcode HandleWatch.measure}. */
  readonly measure: number;
  readonly #known: KnownHandles;
  readonly #rest: Rest;
  readonly #made = new LongList();
  readonly #returned = new LongList();
  /** Where the handle was added; `undefined` while nothing is made. */
  #handles: LongSet | undefined;
  /** How often something had been removed there by then. */
  #removals = 0;

  /** `rest` is the watch over any number of handles of the same command. */
  constructor({ place, measure }: Handling, known: KnownHandles, rest: Rest) {
    this.place = place;
    this.measure = measure;
    this.#known = known;
    this.#rest = rest;
  }

  /** See {@linkcode HandleWatch.before}. */
  before(): void {
    this.#handles = undefined;
  }

  /** See {@linkcode HandleWatch.after}. */
  after(owner: bigint, place: bigint, _measure: bigint, result: unknown): void {
    if (result as number < 0 || place === 0n) return;
    const handles = this.#known.of(owner);
    this.#made.read(0, place);
    handles.addFrom(this.#made, 0);
    this.#removals = handles.removals;
    this.#handles = handles;
  }

  /** See {@linkcode HandleWatch.returns}. A handle that was made and is still there need not be looked up. */
  returns(owner: bigint, place: bigint, measure: bigint, result: unknown): void {
    if (result as number < 0 || place === 0n) return;
    const handles = this.#handles;
    if (handles !== undefined && handles === this.#known.of(owner) && handles.removals === this.#removals) {
      this.#returned.read(0, place);
      if (this.#returned.equals(this.#made, 0) && !this.#made.isZero(0)) return;
    }
    this.#rest.returns(owner, place, measure, result);
  }

  /** See {@linkcode HandleWatch.undo}. */
  undo(args: Arguments): void {
    this.#rest.undo(args, this.#handles === undefined ? [] : [this.#made.get(0)]);
  }
}
