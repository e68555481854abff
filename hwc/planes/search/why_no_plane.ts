import type { Item, Problem } from "./problem.ts";
import type { Assignment, SearchOptions } from "./search.ts";

type Search = (problem: Problem, options: SearchOptions) => Assignment | undefined;

const STEPS = 5_000;

/** Why an item that a plane could show has none: what would have to be different for it to join those that have one. */
export function whyNoPlane(problem: Problem, chosen: Assignment | undefined, item: number, search: Search): string {
  if (problem.items[item].layers.length > 1) return "there are more layers than are looked at";
  const forced = (chosen?.groups ?? []).reduce((bits, group, at) => group < 0 ? bits : bits | 1 << at, 1 << item);
  const fits = (other: Problem) => search(other, { allowed: forced, forced, steps: STEPS }) !== undefined;
  const { limits } = problem;
  if (fits({ ...problem, limits: { ...limits, read: Infinity } })) {
    return "the planes would read more than there is bandwidth for, and the others save more work";
  }
  if (fits({ ...problem, limits: { ...limits, scalers: Infinity } })) {
    return "the scalers are taken by layers that save more work";
  }
  if (fits({ ...problem, limits: { ...limits, rotators: Infinity } })) {
    return "what turns pictures is taken by layers that save more work";
  }
  if (fits(withSpare(problem))) {
    return "the planes that could show it are taken, by layers that save more work or the client target";
  }
  return whyNotBetween(problem, chosen, item);
}

/** The same with one more plane of each kind. */
function withSpare(problem: Problem): Problem {
  const { limits, groups } = problem, unlimited = { ...limits, read: Infinity, scalers: Infinity, rotators: Infinity };
  return {
    ...problem,
    limits: unlimited,
    groups: groups.map((group) => ({ ...group, planes: [...group.planes, -1] })),
  };
}

function whyNotBetween({ items }: Problem, chosen: Assignment | undefined, item: number): string {
  const { below, opaque }: Item = items[item];
  const isClient = (at: number) => (chosen?.groups[at] ?? -1) < 0;
  const under = items.some((_, at) => at < item && isClient(at) && (below & 1 << at) !== 0);
  if (under && !opaque) {
    return "it lies over layers of the client, and no hole can be made for a layer that is not opaque";
  }
  return "no order of the planes shows it where it belongs";
}
