import type { NativeCall } from "../../command/compile.ts";
import { entering } from "../../command/compiled/entering.ts";
import type { Layer, LayerControls, LayerPlace } from "../../layer.ts";

/** Layers written in TypeScript that stand together, and the native layers below them, both top to bottom. */
export interface LayerGroup<Kind> {
  /** The TypeScript layers. */
  readonly typescript: readonly Kind[];
  /** The names of the native layers between this group and the next. */
  readonly native: readonly string[];
}

/** The common members of every kind of layer. */
interface Named {
  readonly name: string;
}

/**
 * The places of TypeScript layers in a chain: Vulkan's, of a loader or of one
 * instance, and those of OpenGL ES. The first group is above all native layers;
 * each other group is below one.
 */
export class LayerPlaces<Kind extends Named> {
  readonly #groups: { typescript: readonly Kind[]; readonly native: readonly string[] }[];

  /** Starts with these groups, top to bottom. The first group always exists. */
  constructor(groups: readonly LayerGroup<Kind>[]) {
    this.#groups = groups.map((group) => ({ ...group }));
  }

  /** The number of groups. */
  get size(): number {
    return this.#groups.length;
  }

  /** All TypeScript layers, top to bottom. */
  get all(): readonly Kind[] {
    return this.#groups.length === 1 ? this.#groups[0].typescript : this.#groups.flatMap((group) => group.typescript);
  }

  /** The layers of a group. */
  of(group: number): readonly Kind[] {
    return this.#groups[group].typescript;
  }

  /** The same layers at the same places, to try a change on. */
  copy(): LayerPlaces<Kind> {
    return new LayerPlaces(this.#groups);
  }

  /**
   * Inserts a layer: by default on top of all. Throws a `TypeError` if the
   * layer is attached already, or if there is no such place.
   */
  attach(layer: Kind, place?: LayerPlace<Kind>): void {
    requireLayer(layer, "attach");
    if (this.all.includes(layer)) {
      throw new TypeError(`Cannot attach ${layer.name}: it is attached already; detach it first`);
    }
    const [group, index] = place ? this.#find(layer, place) : [0, 0];
    this.#splice(group, index, 0, layer);
  }

  /** Removes a layer. Throws a `TypeError` if the layer is not attached. */
  detach(layer: Kind): void {
    this.#splice(...this.#where(layer, "detach"), 1);
  }

  /**
   * Puts a layer in the place of another. Throws a `TypeError` if the other
   * layer is not attached, or if the new one is.
   */
  replace(old: Kind, layer: Kind): void {
    const [group, index] = this.#where(old, "replace");
    requireLayer(layer, "attach");
    if (layer !== old && this.all.includes(layer)) {
      throw new TypeError(
        `Cannot put ${layer.name} in the place of ${old.name}: it is attached already; detach it first`,
      );
    }
    this.#splice(group, index, 1, layer);
  }

  #splice(group: number, index: number, removed: number, ...layers: Kind[]): void {
    const entry = this.#groups[group];
    entry.typescript = entry.typescript.toSpliced(index, removed, ...layers);
  }

  #where(layer: Kind, doing: string): [group: number, index: number] {
    requireLayer(layer, doing);
    const group = this.#groups.findIndex(({ typescript }) => typescript.includes(layer));
    if (group >= 0) return [group, this.#groups[group].typescript.indexOf(layer)];
    throw new TypeError(`Cannot ${doing} ${layer.name}: it is not attached; pass the object that was attached`);
  }

  #find(layer: Kind, place: LayerPlace<Kind>): [group: number, index: number] {
    const isBelow = "below" in place, other = isBelow ? place.below : place.above, step = isBelow ? 1 : 0;
    for (const [group, { typescript, native }] of this.#groups.entries()) {
      const index = typescript.findIndex((each) => each === other || each.name === other);
      if (index >= 0) return [group, index + step];
      if (!isBelow && native[0] === other) return [group, typescript.length];
      if (isBelow && native.at(-1) === other && group + 1 < this.#groups.length) return [group + 1, 0];
    }
    throw new TypeError(this.#noPlace(layer, isBelow ? "below" : "above", other));
  }

  #noPlace(layer: Kind, side: string, other: Kind | string): string {
    const name = typeof other === "string" ? other : other?.name;
    const isNative = this.#groups.some(({ native }) => native.includes(name));
    const why = isNative
      ? "no TypeScript layer stands there, which keeps the place; list one there when the loader is made, if only an empty one"
      : "there is no layer of that name here";
    return `Cannot attach ${layer.name} ${side} ${name}: ${why}`;
  }
}

function requireLayer(layer: Named, doing: string): void {
  if (typeof layer === "object" && typeof layer?.name === "string") return;
  const found = layer === null ? "null" : typeof layer;
  throw new TypeError(`Cannot ${doing} a layer: found ${found}; give what defineLayer() or defineGlesLayer() returns`);
}

/** Gives an object what can be done with its layers. */
export function withControls<Base extends object, Kind>(base: Base, controls: LayerControls<Kind>): Base {
  return Object.defineProperties(base, {
    attach: { value: (layer: Kind, place?: LayerPlace<Kind>) => controls.attach(layer, place) },
    detach: { value: (layer: Kind) => controls.detach(layer) },
    replace: { value: (old: Kind, layer: Kind) => controls.replace(old, layer) },
    drain: { value: () => controls.drain() },
    lostCalls: { get: () => controls.lostCalls },
    supports: { value: (command: string) => controls.supports(command) },
  });
}

/**
 * The TypeScript layers of one instance. The first group is above all native
 * layers; each other group is in a interposer below one.
 */
export class LayerGroups extends LayerPlaces<Layer> {
  /** The number of running hooks below a native layer. */
  #depth = 0;

  /** Whether there are interposers below native layers. */
  get hasInterposers(): boolean {
    return this.size > 1;
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
}
