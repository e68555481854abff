import type { Handling } from "../define/object_pairs.ts";
import type { DestroyedHandles } from "./destroyed.ts";
import type { KnownHandles } from "./known_handles.ts";
import type { HandleWatch } from "./watch.ts";

/** The watch over a command that destroys one handle, which is an argument. For why this is a class, see `OneMade`. */
export class OneGone implements HandleWatch {
  /** See {@linkcode HandleWatch.place}. */
  readonly place: number;
  /** See {@linkcode HandleWatch.measure}. */
  readonly measure: number;
  /** See {@linkcode HandleWatch.destroyed}. */
  readonly destroyed: DestroyedHandles;
  readonly #known: KnownHandles;

  constructor({ place, measure }: Handling, known: KnownHandles, destroyed: DestroyedHandles) {
    this.place = place;
    this.measure = measure;
    this.destroyed = destroyed;
    this.#known = known;
  }

  /** See {@linkcode HandleWatch.before}. */
  before(owner: bigint, handle: bigint): void {
    if (owner === 0n) return;
    this.destroyed.note(handle);
    this.#known.of(owner).delete(handle);
  }

  /** See {@linkcode HandleWatch.owes}. Destroying cannot fail: the caller has no way to try again. */
  owes(args: readonly bigint[], began: number): boolean {
    return !this.destroyed.hasSince(began, args[this.place]);
  }
}
