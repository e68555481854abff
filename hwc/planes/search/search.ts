/**
 * The way from layers to planes.
 *
 * A controller blends planes from the lowest tier up. Layers that get a plane cost the GPU nothing; the client composes
 * all others into one picture, the client target, which needs a plane of its own. The search looks for the choice that
 * leaves the GPU the fewest pixels.
 *
 * ```text
 *   z    layers        one choice                  what the panel blends
 *   4    status bar    plane, above the target     plane 2:  status bar
 *   3    app           client --------------+
 *   2    dialogue      client --------------+--->  plane 1:  client target     <- the cut lies below layer 2
 *   1    video         plane, below the target     plane 0:  video, seen through a hole in the target
 * ```
 *
 * The cut is the place of the target among the layers. For a given cut two rules decide what is possible:
 *
 * - A layer on a plane below the target may share no visible pixel with a client's layer under it, unless the layer is
 *   opaque: then the client leaves a hole in the target.
 * - A client's layer may share no visible pixel with a layer under it whose plane lies above the target.
 *
 * Branch and bound goes through the layers from the bottom, with both answers for each: a plane first, then the client.
 *
 * ```text
 *                    layer 1
 *            plane /         \ client            A branch ends when the planes, the bandwidth or the scalers are
 *           layer 2           layer 2            used up, and when the work so far plus the least work that can be
 *       plane /  \ client        ...             left is no less than the best answer. The least work is what
 *      layer 3   layer 3                         remains if the free planes went to the largest layers.
 * ```
 *
 * Planes that can do the same are one group, so that no branch is a mere exchange of planes. Up to eight layers the
 * answer is the best one; above that number, steps are limited, the largest layers are tried first, and each cut gets its
 * share of the steps, so that one hard cut cannot hide an easy one.
 *
 * @module
 */

import type { Item, Problem } from "./problem.ts";

/** The planes' layers. */
export interface Assignment {
  /** The group of planes of each item; -1: the client composes it. */
  readonly groups: readonly number[];
  /** Items for which the client target gets a hole. */
  readonly holes: readonly number[];
  /** The item, counted from the bottom, before which the client target lies; -1 if the target has no plane. */
  readonly cut: number;
  /** The group of the client target's plane; -1 if there is none. */
  readonly target: number;
  /** The GPU's remaining work. */
  readonly work: number;
  /** Whether the search ended early. */
  readonly isCutShort: boolean;
}

/** The items and the limits of a search. */
export interface SearchOptions {
  /** Items, as bits, that may get planes. Default: all. */
  readonly allowed?: number;
  /** Items, as bits, that must. Default: none. */
  readonly forced?: number;
  /** The most steps of the search. Default: {@linkcode stepsFor}. */
  readonly steps?: number;
}

/** Up to so many items everything is looked at. */
const EXACT = 8;
/** The number of largest layers, beyond that of free planes, that are looked at first. */
const LARGE = 6;
const NONE = -1;

/** Returns the most steps of a search: what a millisecond allows, and no limit where it is short anyway. */
export function stepsFor(items: number): number {
  return items <= EXACT ? Infinity : 10_000;
}

/**
 * Chooses the items that planes show, so that the GPU has the least work;
 * `undefined` if the forced items are impossible. Branch and bound from the
 * bottom to the top, for every place of the client target: the client's picture
 * covers a plane below the target, and a plane above covers the picture.
 */
export function search(problem: Problem, options: SearchOptions = {}): Assignment | undefined {
  return new Search(problem, options).run();
}

class Search {
  readonly #items: readonly Item[];
  readonly #problem: Problem;
  #allowed: number;
  readonly #forced: number;
  readonly #left: number[];
  readonly #chosen: number[];
  readonly #holes: boolean[];
  /** From each item on, what all of them are of work. */
  readonly #work: readonly number[];
  /** The items, those with most work first. */
  readonly #largest: readonly number[];
  /** Items, as bits, that no plane can show with the target where it is, whatever else is chosen. */
  #blocked = 0;
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
    this.#work = workFrom(problem.items);
    this.#largest = problem.items.map((_, index) => index)
      .sort((one, other) => problem.items[other].work - problem.items[one].work);
    this.#steps = steps ?? stepsFor(problem.items.length);
  }

  run(): Assignment | undefined {
    const budget = { left: this.#steps };
    if (this.#items.length <= this.#free) this.#runWithCut(NONE, budget, 4);
    if (budget.left !== Infinity) this.#runAmongLargest(budget);
    this.#runAllCuts(budget);
    return this.#best && { ...this.#best, isCutShort: this.#isCutShort };
  }

  /** Runs first with only the layers that save most: the result rules out most of the rest. */
  #runAmongLargest(budget: { left: number }): void {
    const all = this.#allowed, half = budget.left / 2, some = { left: half };
    const large = this.#largest.slice(0, this.#free + LARGE).reduce((bits, index) => bits | 1 << index, this.#forced);
    // The forced items alone need few steps, so they are searched without a limit: some result always exists.
    for (const [allowed, steps] of [[this.#forced, { left: Infinity }], [large, some]] as const) {
      this.#allowed = all & allowed;
      this.#runAllCuts(steps);
    }
    this.#allowed = all;
    this.#isCutShort = false;
    budget.left -= half - some.left;
  }

  #runAllCuts(budget: { left: number }): void {
    const cuts = this.#promising();
    // Each place gets its share of the remaining steps, so that a hard one does not use up the others'.
    for (const [turn, cut] of cuts.entries()) {
      if (this.#best?.work !== 0) this.#runWithCut(cut, budget, cuts.length - turn);
    }
  }

  /** The places for the client target, those first where most could be saved. */
  #promising(): number[] {
    const bounds = Array.from({ length: this.#items.length + 1 }, (_, cut) => {
      this.#cut = cut;
      this.#blocked = this.#blockedBy(cut);
      return this.#bound(0, this.#free - 1, 0);
    });
    return bounds.map((_, cut) => cut).sort((one, other) => bounds[one] - bounds[other] || one - other);
  }

  #runWithCut(cut: number, budget: { left: number }, shares: number): void {
    this.#cut = cut;
    this.#target = NONE;
    const share = Math.ceil(budget.left / shares);
    this.#steps = share;
    this.#blocked = this.#blockedBy(cut);
    this.#visit(0, 0, 0, 0);
    if (share !== Infinity) budget.left -= share - Math.max(0, this.#steps);
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
    if (planes < 0 || (this.#best && work + this.#bound(index, planes, client) >= this.#best.work)) return;
    if (index === this.#items.length) return this.#keep(work);
    this.#visitDevice(index, work, client, above);
    this.#visitClient(index, work, client, above);
  }

  /** The least work from an item on: the work left if the planes went to the items that save most. */
  #bound(index: number, planes: number, client: number): number {
    let left = this.#work[index], count = 0;
    for (let at = 0; at < this.#largest.length && count < planes; at++) {
      const other = this.#largest[at], { below, opaque, work } = this.#items[other];
      if (other < index || (this.#blocked & 1 << other) !== 0) continue;
      if (other < this.#cut && !opaque && (below & client) !== 0) continue;
      left -= work;
      count++;
    }
    return left;
  }

  #blockedBy(cut: number): number {
    const items = this.#items;
    const client = items.reduce((bits, _, at) => this.#mayHavePlane(at) ? bits : bits | 1 << at, 0);
    return items.reduce((bits, { below, opaque }, at) => {
      const isCovered = at < cut
        ? !opaque && (below & client) !== 0
        : items.some((other, above) => above > at && (client & 1 << above) !== 0 && (other.below & 1 << at) !== 0);
      return isCovered ? bits | 1 << at : bits;
    }, client);
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

function workFrom(items: readonly Item[]): number[] {
  const sums = new Array(items.length + 1).fill(0);
  for (let index = items.length - 1; index >= 0; index--) sums[index] = sums[index + 1] + items[index].work;
  return sums;
}
