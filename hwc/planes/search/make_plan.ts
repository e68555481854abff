import { COMPOSITION } from "../../types.ts";
import { formatName, whyNot } from "./fit.ts";
import type { FramePlan, PlaneDecision, PlaneFinding, PlaneRefusal } from "../frame_plan.ts";
import { type Item, type Problem, problemOf, type Scene, whyClient, whyFree } from "./problem.ts";
import { areaOf, overlapOf } from "../../rects.ts";
import { type Assignment, search, type SearchOptions } from "./search.ts";

type Search = (problem: Problem, options: SearchOptions) => Assignment | undefined;

const STEPS = 5_000;

/** Returns why an item that a plane could show has none: the change with which the item would get one. */
function whyNoPlane(problem: Problem, chosen: Assignment | undefined, item: number, search: Search): string {
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

/** The result of a strategy's search. */
export interface Choice {
  /** The strategy's name. */
  readonly strategy: string;
  /** The planes' layers; `undefined` if the client target has no plane, so that only hidden layers are right. */
  readonly assignment: Assignment | undefined;
  /** The reason why layers that planes could show are left to the client; `undefined` for want of planes. */
  readonly why?: (item: number) => string | undefined;
}

/** A frame in the order of z, with what needs no plane left out. */
export interface Prepared {
  /** The scene. */
  readonly scene: Scene;
  /** Layers that have to be shown, from the bottom. */
  readonly visible: readonly number[];
  /** Ready to be searched. */
  readonly problem: Problem;
}

/** Sorts a frame's layers by z, those of the same z in their order, and sets aside what needs no plane. */
export function prepare(scene: Scene): Prepared {
  const { layers } = scene, order = layers.map((_, index) => index).sort((a, b) => layers[a].z - layers[b].z || a - b);
  const visible = order.filter((index) => {
    const { composition } = layers[index];
    if (composition === COMPOSITION.INVALID) return false;
    return composition === COMPOSITION.CLIENT || whyFree(scene, index) === undefined;
  });
  return { scene, visible, problem: problemOf(scene, visible) };
}

/** The planes' names for an assignment: within a group from the bottom. */
function planesOf({ scene, problem }: Prepared, assignment: Assignment) {
  const next = problem.groups.map(() => 0), { planes } = scene.model;
  const take = (group: number) => planes[problem.groups[group].planes[next[group]++]].name;
  const stack: { plane: string; layer: number }[] = [], byLayer = new Map<number, string>();
  const placeTarget = (item: number) => {
    if (assignment.cut === item) stack.push({ plane: take(assignment.target), layer: -1 });
  };
  problem.items.forEach(({ layers: [layer] }, item) => {
    placeTarget(item);
    if (assignment.groups[item] < 0) return;
    const plane = take(assignment.groups[item]);
    byLayer.set(layer, plane);
    stack.push({ plane, layer });
  });
  placeTarget(problem.items.length);
  return { stack, byLayer };
}

/** Makes the plan of a choice. */
export function makePlan(prepared: Prepared, choice: Choice): FramePlan {
  const { scene, visible, problem } = prepared, { strategy, assignment } = choice;
  const { stack, byLayer } = assignment ? planesOf(prepared, assignment) : { stack: [], byLayer: new Map() };
  const holes = new Set(assignment?.holes.map((item) => problem.items[item].layers[0]));
  const isVisible = new Set(visible), work = (index: number) => areaOf(frameOf(scene, index));
  const decisions = scene.layers.map((layer, index): PlaneDecision => {
    const plane = byLayer.get(index), keeps = plane !== undefined || !isVisible.has(index);
    return {
      layer,
      asked: layer.composition,
      given: keeps ? layer.composition : COMPOSITION.CLIENT,
      plane,
      clearsTarget: holes.has(index),
    };
  });
  const drawn = visible.filter((index) => decisions[index].given === COMPOSITION.CLIENT);
  const cleared = assignment?.holes.reduce((sum, item) => sum + problem.items[item].hole, 0) ?? 0;
  return {
    strategy,
    decisions,
    target: stack.find(({ layer }) => layer < 0)?.plane,
    stack,
    gpuWork: drawn.reduce((sum, index) => sum + work(index), cleared),
    totalWork: visible.reduce((sum, index) => sum + work(index), 0),
    isCutShort: assignment?.isCutShort ?? false,
    explain: () => decisions.map((decision, index) => explain(prepared, choice, decision, index)),
  };
}

function frameOf({ layers, screen }: Scene, index: number) {
  return overlapOf(layers[index].displayFrame, screen);
}

function explain(prepared: Prepared, choice: Choice, decision: PlaneDecision, index: number): PlaneFinding {
  const { scene, problem } = prepared;
  const item = problem.items.findIndex(({ layers }) => layers.includes(index));
  const isBottom = item === 0,
    planes: PlaneRefusal[] = item < 0 ? [] : scene.model.planes.map((plane) => ({
      plane: plane.name,
      why: whyNot(plane, decision.layer, isBottom),
    }));
  const { layer, asked, given, plane, clearsTarget } = decision;
  return {
    subject: "plane",
    path: layer.name ?? `z ${layer.z}`,
    content: contentOf(layer),
    origin: choice.strategy,
    taken: asked === given,
    reason: reasonFor(prepared, choice, decision, { index, item, planes }),
    asked,
    given,
    plane,
    clearsTarget,
    planes,
  };
}

/** Returns the content of a layer, for people. */
function contentOf({ buffer, composition }: PlaneDecision["layer"]): string {
  if (buffer) return `${buffer.width} × ${buffer.height} ${formatName(buffer.format)} buffer`;
  if (composition === COMPOSITION.SOLID_COLOR) return "one colour";
  return composition === COMPOSITION.SIDEBAND ? "sideband stream" : "no buffer";
}

interface Where {
  readonly index: number;
  readonly item: number;
  readonly planes: readonly PlaneRefusal[];
}

function reasonFor({ scene, problem }: Prepared, choice: Choice, decision: PlaneDecision, at: Where): string {
  const { layer, plane } = decision, { index, item, planes } = at;
  if (layer.composition === COMPOSITION.INVALID) return "nobody composes it: its composition type was never set";
  if (plane !== undefined) {
    return `${plane} shows it${decision.clearsTarget ? " through a hole in the client target" : ""}`;
  }
  if (item < 0) return `it needs no plane: ${whyFree(scene, index)}`;
  const asked = whyClient(layer);
  if (asked !== undefined) return `the client composes it: ${asked}`;
  const chosen = choice.why?.(item);
  if (chosen !== undefined) return `the client composes it: ${chosen}`;
  if (planes.every(({ why }) => why !== undefined)) {
    return `the client composes it: ${refusalText(planes)}`;
  }
  return `the client composes it: ${whyNoPlane(problem, choice.assignment, item, search)}`;
}

/** The refusals of planes as a sentence; planes with the same refusal are named together. */
function refusalText(refusals: readonly PlaneRefusal[]): string {
  const groups = Map.groupBy(refusals, ({ why }) => why);
  return [...groups].map(([why, by]) => `${listed(by.map(({ plane }) => plane))} ${why}`).join("; ");
}

function listed(names: readonly string[]): string {
  return names.length < 2 ? names.join() : `${names.slice(0, -1).join(", ")} and ${names.at(-1)}`;
}
