import type { ChainElement } from "../chain/element.ts";
import type { Layer } from "../layer.ts";
import type { NativeLayer } from "../layers/choice/library.ts";
import type { OpenGroup, OpenLayers } from "../layers/choice/open.ts";
import type { ForeignCalls } from "../layers/hooks/foreign_calls.ts";
import { type LayerGroup, LayerGroups } from "../layers/hooks/places.ts";
import type { NewCommands } from "../layers/hooks/new_commands.ts";
import type { Interposer } from "./interposer.ts";
import type { InterposerElement } from "./interposer_element.ts";

/** The machine-code part of interposers, which not every loader imports. */
export interface InterposerParts {
  /** The class of a interposer. */
  readonly Interposer: typeof Interposer;
  /** The class of a interposer in one instance's chain. */
  readonly InterposerElement: typeof InterposerElement;
}

/** The chain of one instance before its creation. */
export interface Arrangement {
  /** The native chain, top to bottom: native layers, and interposers for TypeScript layers below them. */
  readonly elements: readonly ChainElement[];
  /** The instance's TypeScript layers. */
  readonly groups: LayerGroups;
  /** Frees the instance's part. The instance must be gone. */
  close(): void;
}

/** All interposers for a loader's TypeScript layers below native ones, top to bottom. */
export class Interposers {
  readonly #parts: InterposerParts | undefined;
  readonly #foreign: ForeignCalls;
  readonly #added: NewCommands;
  readonly #interposers: Interposer[] = [];

  /**
   * Makes the interposers of the groups below the first. If that fails, closes the
   * native layers again. Without `parts` there is only one group.
   */
  constructor(
    parts: InterposerParts | undefined,
    { groups, native }: OpenLayers,
    foreign: ForeignCalls,
    added: NewCommands,
  ) {
    this.#parts = parts;
    this.#foreign = foreign;
    this.#added = added;
    try {
      groups.slice(1).forEach(({ typescript }, index) => this.#reach(index + 1, typescript));
    } catch (error) {
      this.close();
      for (const layer of native) layer.close();
      throw error;
    }
  }

  /** The interposers. */
  get all(): readonly Interposer[] {
    return this.#interposers;
  }

  /** Makes the callbacks that these layers need in any interposer. Not for use inside a callback. */
  prepare(layers: readonly Layer[]): void {
    for (const interposer of this.#interposers) interposer.prepare(layers);
  }

  /** Makes a interposer for these layers below the native layers of so many groups. Not for use inside a callback. */
  prepareBelow(groups: number, layers: readonly Layer[]): void {
    this.#reach(groups, layers);
  }

  /**
   * Arranges the layers of an instance: a loader's groups, below them native
   * layers that the machine adds, and TypeScript layers at the bottom.
   */
  arrange(groups: readonly OpenGroup[], added: readonly NativeLayer[], bottom: readonly Layer[]): Arrangement {
    const arranged = withAdded(groups, added, bottom), interposers = arranged.length - 1;
    if (bottom.length > 0) this.#reach(interposers, bottom);
    const live = new LayerGroups(arranged.map(named));
    const placed = this.#interposers.slice(0, interposers).map((interposer) =>
      new this.#parts!.InterposerElement(interposer, live)
    );
    return {
      elements: arranged.flatMap(({ native }, index) => [...placed.slice(Math.max(index - 1, 0), index), ...native]),
      groups: live,
      close: () => placed.forEach((element) => element.close()),
    };
  }

  /** Whether Deno itself may be calling, also during garbage collection. */
  set mayCollect(may: boolean) {
    for (const interposer of this.#interposers) interposer.mayCollect = may;
  }

  /** Frees the callbacks. All instances must be gone. */
  close(): void {
    for (const interposer of this.#interposers) interposer.close();
  }

  /** Makes sure that there are so many interposers, and that the last one may hold these layers. */
  #reach(count: number, layers: readonly Layer[]): void {
    const next = () => this.#interposers.length;
    while (next() < count) this.#interposers.push(new this.#parts!.Interposer(next(), this.#foreign, this.#added));
    this.#interposers.at(-1)?.prepare(layers);
  }
}

function withAdded(
  groups: readonly OpenGroup[],
  added: readonly NativeLayer[],
  bottom: readonly Layer[],
): readonly OpenGroup[] {
  const last = groups.at(-1)!, native = [...last.native, ...added], above = groups.slice(0, -1);
  if (bottom.length === 0) return [...above, { ...last, native }];
  if (native.length > 0) return [...above, { ...last, native }, { typescript: bottom, native: [] }];
  return [...above, { typescript: [...last.typescript, ...bottom], native }];
}

/** A group with the names of its native layers. */
export function named({ typescript, native }: OpenGroup): LayerGroup<Layer> {
  return { typescript, native: native.map(({ name }) => name) };
}
