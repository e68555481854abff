import type { NativeCall } from "../../command/compile.ts";
import { entering } from "../../command/compiled/entering.ts";
import type { Layer, LayerPlace } from "../../layer.ts";

/** TypeScript layers that stand together, and the native layers below them, both top to bottom. */
export interface LayerGroup {
  /** The TypeScript layers. */
  readonly typescript: readonly Layer[];
  /** The names of the native layers between this group and the next. */
  readonly native: readonly string[];
}

/**
 * The TypeScript layers of one instance. The first group is above all native
 * layers; each other group is in a seat below one.
 */
export class LayerGroups {
  /** How many hooks below a native layer are running. */
  #depth = 0;
  readonly #groups: { typescript: readonly Layer[]; readonly native: readonly string[] }[];

  /** Starts with these groups, top to bottom. The first group always exists. */
  constructor(groups: readonly LayerGroup[]) {
    this.#groups = groups.map((group) => ({ ...group }));
  }

  /** Whether there are seats below native layers. */
  get hasSeats(): boolean {
    return this.#groups.length > 1;
  }

  /** All TypeScript layers, top to bottom. */
  get all(): readonly Layer[] {
    return this.#groups.length === 1 ? this.#groups[0].typescript : this.#groups.flatMap((group) => group.typescript);
  }

  /** The layers of a group. */
  of(group: number): readonly Layer[] {
    return this.#groups[group].typescript;
  }

  /**
   * Wraps a command whose hooks are below a native layer, so that
   * {@linkcode LayerGroups.checkOutside} knows when they run.
   */
  within(call: NativeCall, arity: number): NativeCall {
    return entering(call, arity, () => void this.#depth++, () => void this.#depth--);
  }

  /**
   * Throws a `TypeError` while such a hook is running. The objects of a script
   * begin at the top of the chain, where handles may differ, and a native layer
   * need not support being called from below.
   */
  checkOutside(command: string): void {
    if (this.#depth === 0) return;
    throw new TypeError(
      `Cannot call ${command} from a hook below a native layer: call this.below(handle).${command}() there`,
    );
  }

  /**
   * Inserts a layer: by default on top of all. Throws a `TypeError` if the
   * layer is attached already, or if there is no such place.
   */
  attach(layer: Layer, place?: LayerPlace): void {
    if (this.#groupOf(layer)) {
      throw new TypeError(`Cannot attach ${layer.name}: it is attached to this instance already; detach it first`);
    }
    const [group, index] = place ? this.#find(layer, place) : [0, 0];
    this.#splice(group, index, 0, layer);
  }

  /** Removes a layer. Throws a `TypeError` if the layer is not attached. */
  detach(layer: Layer): void {
    this.#splice(...this.#where(layer, "detach"), 1);
  }

  /**
   * Puts a layer in the place of another. Throws a `TypeError` if the other
   * layer is not attached, or if the new one is.
   */
  replace(old: Layer, layer: Layer): void {
    const [group, index] = this.#where(old, "replace");
    if (layer !== old && this.#groupOf(layer)) {
      throw new TypeError(
        `Cannot put ${layer.name} in the place of ${old.name}: it is attached already; detach it first`,
      );
    }
    this.#splice(group, index, 1, layer);
  }

  #splice(group: number, index: number, removed: number, ...layers: Layer[]): void {
    const entry = this.#groups[group];
    entry.typescript = entry.typescript.toSpliced(index, removed, ...layers);
  }

  #groupOf(layer: Layer) {
    return this.#groups.find(({ typescript }) => typescript.includes(layer));
  }

  #where(layer: Layer, doing: string): [group: number, index: number] {
    const group = this.#groups.findIndex(({ typescript }) => typescript.includes(layer));
    if (group >= 0) return [group, this.#groups[group].typescript.indexOf(layer)];
    throw new TypeError(
      `Cannot ${doing} ${layer.name}: it is not attached to this instance; pass the object that was attached`,
    );
  }

  #find(layer: Layer, place: LayerPlace): [group: number, index: number] {
    const isBelow = "below" in place, other = isBelow ? place.below : place.above, step = isBelow ? 1 : 0;
    for (const [group, { typescript, native }] of this.#groups.entries()) {
      const index = typescript.findIndex((each) => each === other || each.name === other);
      if (index >= 0) return [group, index + step];
      if (!isBelow && native[0] === other) return [group, typescript.length];
      if (isBelow && native.at(-1) === other && group + 1 < this.#groups.length) return [group + 1, 0];
    }
    throw new TypeError(this.#noPlace(layer, isBelow ? "below" : "above", other));
  }

  #noPlace(layer: Layer, side: string, other: Layer | string): string {
    const name = typeof other === "string" ? other : other.name;
    const isNative = this.#groups.some(({ native }) => native.includes(name));
    const why = isNative
      ? "no TypeScript layer stands there, which keeps the place; list one there when the loader is made, if only an empty one"
      : `there is no layer of that name in this instance`;
    return `Cannot attach ${layer.name} ${side} ${name}: ${why}`;
  }
}
