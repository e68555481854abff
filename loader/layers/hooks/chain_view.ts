import { peek64 } from "../../../ffi/machine.ts";
import { isMapped } from "../../../ffi/mapped.ts";
import type { NativeCall } from "../../command/compile.ts";
import type { Command } from "../../command/registry/table.ts";
import type { RawCommands } from "../../gen/raw_commands_gen.ts";
import type { Layer } from "../../layer.ts";
import type { NewCommands } from "./new_commands.ts";

/** TypeScript layers that stand together above the commands of one instance or device. */
export interface ChainView {
  /** The current layers, top to bottom. A change makes a new array. */
  layers(): readonly Layer[];
  /** The raw function below all of them for a command. */
  bottom(command: Command): NativeCall;
  /** The address of a command below all of them; 0n if nobody below has the command, whatever the layers answer. */
  address(command: Command): bigint;
  /** The commands below one of the layers, with the hooks of the layers below it. */
  below(layer: Layer): RawCommands;
}

/** Views by dispatch key, which is the address of the dispatch table. */
const views = new Map<bigint, ChainView[]>();
/** Values that lately led to mapped memory. Each check would otherwise need a system call. */
const seen = new Set<bigint>(), MOST_SEEN = 16;

/** Registers a view under the dispatch key of an instance or device. The result removes it again. */
export function openView(key: bigint, view: ChainView): () => void {
  const known = views.get(key) ?? [];
  views.set(key, [...known, view]);
  return () => {
    seen.clear();
    const left = views.get(key)!.filter((each) => each !== view);
    if (left.length > 0) views.set(key, left);
    else views.delete(key);
  };
}

/** Whether an instance or device has this dispatch key. */
export function isKey(key: bigint): boolean {
  return views.has(key);
}

/**
 * Returns the first word at a value that a layer passes as a dispatchable
 * handle; 0n if the value leads to no memory.
 */
export function keyAt(handle: bigint): bigint {
  if (seen.has(handle)) return peek64(handle);
  if (typeof handle !== "bigint" || handle % 8n !== 0n || !isMapped(handle, 8)) return 0n;
  if (seen.size === MOST_SEEN) seen.clear();
  seen.add(handle);
  return peek64(handle);
}

/** Returns the view that a layer belongs to for a dispatchable handle. */
export function viewOf(layer: Layer, handle: bigint): ChainView | undefined {
  return views.get(keyAt(handle))?.find((each) => each.layers().includes(layer));
}

/** A dispatch table, or a interposer's part of one. */
interface Place {
  /** The table's address, which is the dispatch key of its objects. */
  readonly address: bigint;
  /** Slot of the GetProcAddr that gets the names which the table lacks. */
  readonly belowSlot: bigint;
}

/**
 * The presence of layers in one instance or device: their hooks find the way
 * below, and the commands that they add are found.
 */
export class Presence {
  readonly #slot: bigint;
  readonly #view: ChainView;
  readonly #added: NewCommands;
  readonly #forget: () => void;

  /** Begins the presence. The commands that the layers add must be prepared. */
  constructor({ address, belowSlot }: Place, view: ChainView, added: NewCommands) {
    this.#slot = belowSlot;
    this.#view = view;
    this.#added = added;
    this.#forget = openView(address, view);
    this.refresh();
  }

  /** Makes the added commands findable again after a change of layers. */
  refresh(): void {
    this.#added.stand(this.#slot, this.#view.layers());
  }

  /** Ends the presence, before the instance or device goes. */
  end(): void {
    this.#forget();
    this.#added.forget(this.#slot);
  }
}
