import type { Item, Problem } from "./problem.ts";

/** Which planes show what. */
export interface Assignment {
  /** The group of planes of each item; -1: the client composes it. */
  readonly groups: readonly number[];
  /** Items for which the client target gets a hole. */
  readonly holes: readonly number[];
  /** Before which item, counted from the bottom, the client target lies; -1 if there is none. */
  readonly cut: number;
  /** The group of the client target's plane; -1 if there is none. */
  readonly target: number;
  /** What is left to the GPU. */
  readonly work: number;
  /** Whether the search ended before it had seen everything. */
  readonly isCutShort: boolean;
}

/** What to search for. */
export interface SearchOptions {
  /** Items, as bits, that may get planes. Default: all. */
  readonly allowed?: number;
  /** Items, as bits, that must. Default: none. */
  readonly forced?: number;
  /** How many steps it may take. Default: {@linkcode stepsFor}. */
  readonly steps?: number;
}

/** Up to so many items everything is looked at. */
const EXACT = 8;
const NONE = -1;

/** How many steps a search takes at most: what a millisecond allows, and no limit where it is short anyway. */
export function stepsFor(items: number): number {
  return items <= EXACT ? Infinity : 12_000;
}

/**
 * The items that planes shall show so that the least is left to the GPU;
 * `undefined` if what is forced is impossible. Branch and bound from the bottom
 * to the top, for every place where the client target may lie: a plane below
 * the target is covered by all the client draws, and one above covers it.
 */
export function search(problem: Problem, options: SearchOptions = {}): Assignment | undefined {
  return new Search(problem, options).run();
}

class Search {
  readonly #items: readonly Item[];
  readonly #problem: Problem;
  readonly #allowed: number;
  readonly #forced: number;
  readonly #left: number[];
  readonly #chosen: number[];
  readonly #holes: boolean[];
  /** By first item and number of planes: the work that cannot be avoided from there on. */
  readonly #bounds: number[][];
  #cut = NONE;
  #target = NONE;
  #free = 0;
  #used = 0;
  #tier = -Infinity;
  #read = 0;
  #scalers = 0;
  #rotators = 0;
  #steps: number;
  #best: Assignment | undefined;
  #isCutShort = false;

  constructor(problem: Problem, { allowed = NONE, forced = 0, steps }: SearchOptions) {
    this.#problem = problem;
    this.#items = problem.items;
    this.#allowed = allowed;
    this.#forced = forced;
    this.#left = problem.groups.map(({ planes }) => planes.length);
    this.#free = this.#left.reduce((sum, count) => sum + count, 0);
    this.#chosen = problem.items.map(() => NONE);
    this.#holes = problem.items.map(() => false);
    this.#bounds = boundsOf(problem.items, this.#free, (index) => this.#mayHavePlane(index));
    this.#steps = steps ?? stepsFor(problem.items.length);
  }

  run(): Assignment | undefined {
    const count = this.#items.length, total = this.#steps;
    this.#runWithCut(NONE, total);
    // Each place gets its share: a hard one must not eat what the others need.
    for (let cut = 0; cut <= count && this.#best?.work !== 0; cut++) this.#runWithCut(cut, total / (count + 1));
    return this.#best && { ...this.#best, isCutShort: this.#isCutShort };
  }

  #runWithCut(cut: number, steps: number): void {
    this.#cut = cut;
    this.#target = NONE;
    this.#steps = steps;
    this.#visit(0, 0, 0, 0);
  }

  /** Goes on from an item. `client` and `above`: the items below that the client has, and that lie above its target. */
  #visit(index: number, work: number, client: number, above: number): void {
    if (this.#steps-- <= 0) {
      this.#isCutShort = true;
      return;
    }
    if (index === this.#cut && this.#target === NONE) return this.#placeTarget(index, work, client, above);
    const toCome = this.#cut !== NONE && this.#target === NONE ? 1 : 0;
    const planes = this.#free - toCome;
    if (planes < 0 || (this.#best && work + this.#bounds[index][planes] >= this.#best.work)) return;
    if (index === this.#items.length) return this.#keep(work);
    this.#visitDevice(index, work, client, above);
    this.#visitClient(index, work, client, above);
  }

  #placeTarget(index: number, work: number, client: number, above: number): void {
    const { target } = this.#problem, fits = this.#used === 0 ? target.fitsBottom : target.fits;
    this.#eachGroup(fits, (group) => {
      this.#target = group;
      this.#read += target.read;
      if (this.#read <= this.#problem.limits.read) this.#visit(index, work, client, above);
      this.#read -= target.read;
      this.#target = NONE;
    });
  }

  #visitDevice(index: number, work: number, client: number, above: number): void {
    if (!this.#mayHavePlane(index)) return;
    const item = this.#items[index], isUnder = this.#cut === NONE || index < this.#cut;
    const covered = isUnder && (item.below & client) !== 0;
    if (covered && !item.opaque) return;
    const { limits } = this.#problem;
    if (this.#read + item.read > limits.read || this.#scalers + item.scalers > limits.scalers) return;
    if (this.#rotators + item.rotators > limits.rotators) return;
    this.#take(item, 1);
    this.#holes[index] = covered;
    const after = isUnder ? above : above | 1 << index;
    this.#eachGroup(this.#used === 0 ? item.fitsBottom : item.fits, (group) => {
      this.#chosen[index] = group;
      this.#visit(index + 1, work + (covered ? item.hole : 0), client, after);
    });
    this.#chosen[index] = NONE;
    this.#holes[index] = false;
    this.#take(item, -1);
  }

  #visitClient(index: number, work: number, client: number, above: number): void {
    const item = this.#items[index];
    if (this.#cut === NONE || (this.#forced & 1 << index) !== 0 || (item.below & above) !== 0) return;
    this.#visit(index + 1, work + item.work, client | 1 << index, above);
  }

  #take({ read, scalers, rotators }: Item, times: number): void {
    this.#read += times * read;
    this.#scalers += times * scalers;
    this.#rotators += times * rotators;
  }

  #eachGroup(fits: number, visit: (group: number) => void): void {
    const { groups } = this.#problem, tier = this.#tier;
    for (let group = 0; group < groups.length; group++) {
      if ((fits & 1 << group) === 0 || this.#left[group] === 0 || groups[group].tier < tier) continue;
      this.#left[group]--;
      this.#free--;
      this.#used++;
      this.#tier = groups[group].tier;
      visit(group);
      this.#left[group]++;
      this.#free++;
      this.#used--;
    }
    this.#tier = tier;
  }

  #mayHavePlane(index: number): boolean {
    return !this.#items[index].mustClient && (this.#allowed & 1 << index) !== 0;
  }

  #keep(work: number): void {
    const holes = this.#holes.flatMap((hole, index) => hole ? [index] : []);
    this.#best = { groups: [...this.#chosen], holes, cut: this.#cut, target: this.#target, work, isCutShort: false };
  }
}

/** For each first item and each number of planes: the work left if the planes went to those that save most. */
function boundsOf(items: readonly Item[], planes: number, mayHavePlane: (index: number) => boolean): number[][] {
  const bounds: number[][] = Array.from({ length: items.length + 1 }, () => new Array(planes + 1).fill(0));
  const largest: number[] = [];
  let work = 0;
  for (let index = items.length - 1; index >= 0; index--) {
    work += items[index].work;
    if (mayHavePlane(index)) insert(largest, items[index].work);
    let saved = 0;
    for (let count = 0; count <= planes; count++) {
      bounds[index][count] = Math.max(0, work - saved);
      saved += largest[count] ?? 0;
    }
  }
  return bounds;
}

/** Keeps the largest first. */
function insert(sorted: number[], value: number): void {
  const at = sorted.findIndex((other) => other < value);
  sorted.splice(at < 0 ? sorted.length : at, 0, value);
}
