import { namesOf } from "../state_tracker/names.ts";
import type { Node } from "./node.ts";

/** Writes the statements that make objects, and before them those that make what these need. */
export type Maker = () => Node[];

/** Objects that are written where they are needed first, by then with all that is known of them. */
export class Pending {
  readonly #makers = new Map<string, Maker>();

  /** Notes how objects are made. */
  add(names: readonly string[], make: Maker): void {
    for (const name of names) this.#makers.set(name, () => this.#once(names, make));
  }

  /** Whether an object was not needed yet. */
  has(name: string): boolean {
    return this.#makers.has(name);
  }

  /** Says that an object is made otherwise. Returns whether it was not needed before. */
  forget(name: string): boolean {
    return this.#makers.delete(name);
  }

  /** Returns the statements that make the objects that a value names, where they are not written yet. */
  need(value: unknown): Node[] {
    return [...namesOf(value)].flatMap((name) => this.#makers.get(name)?.() ?? []);
  }

  #once(names: readonly string[], make: Maker): Node[] {
    for (const name of names) this.#makers.delete(name);
    return make();
  }
}
