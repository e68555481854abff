import { createLookup, type Lookup } from "../../../ffi/functions/lookup.ts";
import { peek64, publish64 } from "../../../ffi/machine.ts";
import { createThunk, type Thunk } from "../../../ffi/thunk/thunk.ts";
import type { Layer, NewCommand } from "../../layer.ts";
import { blaming } from "../guard/blame.ts";

/** A GetProcAddr that answers for new commands, and the GetProcAddr behind it. */
interface Standing {
  readonly lookup: Lookup;
  readonly below: bigint;
}

/**
 * The commands that layers add and that the registry does not have: callbacks,
 * which the chain's GetProcAddr returns by name.
 */
export class NewCommands implements Disposable {
  readonly #thunks = new Map<Layer, Map<string, Thunk>>();
  /** By the address of the dispatch table's slot with the GetProcAddr for names that the table lacks. */
  readonly #standing = new Map<bigint, Standing>();

  /** Makes the callbacks of layers. Not for use inside a callback. */
  prepare(layers: readonly Layer[]): void {
    for (const layer of layers) {
      if (!layer.newCommands || this.#thunks.has(layer)) continue;
      const made = Object.entries(layer.newCommands).map(([name, { signature, call, onForeignThread = "skip" }]) =>
        [name, createThunk(signature, naming(layer, name, call), { onForeignThread })] as const
      );
      this.#thunks.set(layer, new Map(made));
    }
  }

  /** Lets the GetProcAddr at an address answer for these prepared layers. For each name, the topmost layer counts. */
  stand(slot: bigint, layers: readonly Layer[]): void {
    this.fall(slot);
    const entries = layers.toReversed().flatMap((layer) => [...this.#thunks.get(layer) ?? []]);
    if (entries.length === 0) return;
    const below = peek64(slot), lookup = createLookup(entries.map(([name, { address }]) => [name, address]), below);
    this.#standing.set(slot, { lookup, below });
    publish64(slot, lookup.address);
  }

  /** Undoes {@linkcode NewCommands.stand} while the table exists. */
  fall(slot: bigint): void {
    const standing = this.#standing.get(slot);
    if (!standing) return;
    publish64(slot, standing.below);
    this.forget(slot);
  }

  /** Forgets a table that is gone. */
  forget(slot: bigint): void {
    this.#standing.get(slot)?.lookup.free();
    this.#standing.delete(slot);
  }

  /** Frees the callbacks. All instances must be gone. */
  close(): void {
    for (const thunks of this.#thunks.values()) for (const thunk of thunks.values()) thunk.free();
    this.#thunks.clear();
  }

  /** Frees the callbacks at the end of a `using` scope. */
  [Symbol.dispose](): void {
    this.close();
  }
}

function naming({ name }: Layer, command: string, call: NewCommand["call"]): NewCommand["call"] {
  return (...args) => blaming(name, command, () => call(...args));
}
