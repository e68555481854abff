import { peek64 } from "../../../ffi/machine.ts";
import { isMapped } from "../../../ffi/mapped.ts";
import type { NativeCall } from "../../command/compile.ts";
import type { Command } from "../../command/registry/table.ts";
import type { RawCommands } from "../../gen/raw_commands_gen.ts";
import type { Layer } from "../../layer.ts";
import type { NewCommands } from "./new_commands.ts";

/** TypeScript layers that stand together before the commands of one instance or device. */
export interface ChainView {
  /** The layers in force, top to bottom; another array when they change. */
  layers(): readonly Layer[];
  /** What lies below all of them for a command, in raw form. */
  bottom(command: Command): NativeCall;
  /** The address of what lies below all of them for a command; 0n where there is nothing, whatever the layers answer. */
  address(command: Command): bigint;
  /** The commands below one of the layers, with the hooks of those that follow it. */
  below(layer: Layer): RawCommands;
}

/** By dispatch key, which is the address of the dispatch table. */
const views = new Map<bigint, ChainView[]>();
/** Values that lead to memory, as was seen lately: asking each time would cost a system call. */
const seen = new Set<bigint>(), MOST_SEEN = 16;

/** Lets layers find their way by the dispatch key of an instance or device; the result forgets it again. */
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

/** Whether there is an instance or device with that dispatch key. */
export function isKey(key: bigint): boolean {
  return views.has(key);
}

/** What a value begins with that a layer takes for a dispatchable handle; 0n when it leads to no memory. */
export function keyAt(handle: bigint): bigint {
  if (seen.has(handle)) return peek64(handle);
  if (typeof handle !== "bigint" || handle % 8n !== 0n || !isMapped(handle, 8)) return 0n;
  if (seen.size === MOST_SEEN) seen.clear();
  seen.add(handle);
  return peek64(handle);
}

/** The layers that stand together with a layer before the commands of a dispatchable handle. */
export function viewOf(layer: Layer, handle: bigint): ChainView | undefined {
  return views.get(keyAt(handle))?.find((each) => each.layers().includes(layer));
}

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
