import { type ChainView, openView } from "./chain_view.ts";
import type { NewCommands } from "./new_commands.ts";

/** A dispatch table, or a seat's part of one. */
interface Place {
  /** The table's address, which is the dispatch key of its objects. */
  readonly address: bigint;
  /** Where the GetProcAddr stands that names it lacks are passed on to. */
  readonly belowSlot: bigint;
}

/** Layers that stand together before one instance or device: they find their way there, and what they add is found. */
export class Presence {
  readonly #slot: bigint;
  readonly #view: ChainView;
  readonly #added: NewCommands;
  readonly #forget: () => void;

  /** Begins it. What the layers add was prepared. */
  constructor({ address, belowSlot }: Place, view: ChainView, added: NewCommands) {
    this.#slot = belowSlot;
    this.#view = view;
    this.#added = added;
    this.#forget = openView(address, view);
    this.refresh();
  }

  /** Has what the layers add be found anew, after some came or went. */
  refresh(): void {
    this.#added.stand(this.#slot, this.#view.layers());
  }

  /** Ends it: the instance or device is going. */
  end(): void {
    this.#forget();
    this.#added.forget(this.#slot);
  }
}
