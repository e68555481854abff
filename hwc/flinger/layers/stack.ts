import type { ComposeLayer } from "../../backends/compose_layer.ts";
import { intersect, subtractAll } from "../../rects.ts";
import { BLEND, type Rect } from "../../types.ts";
import type { FlingerLayer } from "./flinger_layer.ts";
import { type Inherited, resolve, type Resolved, withinReach } from "./resolve.ts";

/** A layer that can be seen on a display. */
export interface VisibleLayer {
  /** The layer. */
  readonly layer: FlingerLayer;
  /** The layer's state for the composition there; z counts from 0 at the bottom. */
  readonly shown: ComposeLayer;
}

/** A screen that shows layers. */
export interface StackTarget {
  /** The layer stack to show. */
  readonly layerStack: number;
  /** All pixels of the display. */
  readonly screen: Rect;
  /** Whether the screen may show secure layers. */
  readonly isSecure: boolean;
  /** Layers that are not shown, although their children are. */
  readonly leftOut?: ReadonlySet<FlingerLayer>;
}

const ROOT: Inherited = { x: 0, y: 0, alpha: 1, isSecure: false };

/** The visible layers of a layer stack on a screen, from the bottom; layers behind opaque ones are left out. */
export function stackOf(
  layers: readonly FlingerLayer[],
  { layerStack, screen, isSecure, leftOut }: StackTarget,
): VisibleLayer[] {
  const found = walk(layers, layerStack).flatMap(({ layer, resolved: whole }) => {
    const resolved = leftOut?.has(layer) ? undefined : withinReach(whole, screen);
    return resolved ? [{ layer, resolved }] : [];
  });
  return seen(found, screen).map(({ layer, resolved, visibleRegion }, z) => {
    // A viewer that may see everything gets secure layers like any others; protected buffers say so themselves.
    const isProtected = !isSecure && resolved.isProtected === true, isBlack = isProtected && resolved.color;
    return { layer, shown: { ...resolved, ...isBlack ? { color: BLACK } : {}, z, visibleRegion, isProtected } };
  });
}

const BLACK = { r: 0, g: 0, b: 0, a: 1 };

interface Found {
  readonly layer: FlingerLayer;
  readonly resolved: Resolved;
}

/** The children of each layer, in the order of z; those of `undefined` have no parent, or one that is gone. */
function childrenOf(layers: readonly FlingerLayer[]): Map<unknown, FlingerLayer[]> {
  const known: ReadonlySet<unknown> = new Set(layers), children = new Map<unknown, FlingerLayer[]>();
  for (const layer of layers) {
    const parent = known.has(layer.state.parent) ? layer.state.parent : undefined, siblings = children.get(parent);
    if (siblings) siblings.push(layer);
    else children.set(parent, [layer]);
  }
  for (const siblings of children.values()) siblings.sort((one, other) => one.state.z - other.state.z);
  return children;
}

/** A layer that is to be visited with its children, or after those that are below it. */
interface Visit {
  readonly layer: FlingerLayer;
  readonly inherited: Inherited;
  readonly isOwnTurn: boolean;
}

/** The layers of a stack with their children, some of them below their parents; however deep they are. */
function walk(layers: readonly FlingerLayer[], layerStack: number): Found[] {
  const children = childrenOf(layers), found: Found[] = [];
  const roots = (children.get(undefined) ?? []).filter(({ state }) => state.layerStack === layerStack);
  const visits = (some: readonly FlingerLayer[], inherited: Inherited): Visit[] =>
    some.toReversed().map((layer) => ({ layer, inherited, isOwnTurn: false }));
  const waiting = visits(roots, ROOT);
  for (let visit = waiting.pop(); visit; visit = waiting.pop()) {
    const { layer, inherited, isOwnTurn } = visit, { state } = layer;
    if (isOwnTurn) {
      const resolved = resolve(layer, inherited);
      if (resolved) found.push({ layer, resolved });
    } else if (!state.isHidden) {
      const own = children.get(layer) ?? [], handedOn = handOn(inherited, layer);
      waiting.push(...visits(own.filter((child) => child.state.z >= 0), handedOn));
      waiting.push({ ...visit, isOwnTurn: true });
      waiting.push(...visits(own.filter((child) => child.state.z < 0), handedOn));
    }
  }
  return found;
}

function handOn(inherited: Inherited, { state }: FlingerLayer): Inherited {
  const { x, y } = state.position;
  return {
    x: inherited.x + x,
    y: inherited.y + y,
    alpha: inherited.alpha * state.alpha,
    isSecure: inherited.isSecure || state.isSecure,
  };
}

function seen(found: readonly Found[], screen: Rect): (Found & { visibleRegion: Rect[] })[] {
  let open: Rect[] = [screen];
  const visible: (Found & { visibleRegion: Rect[] })[] = [];
  for (const each of [...found].reverse()) {
    const { displayFrame, blend, planeAlpha } = each.resolved;
    const visibleRegion = open.flatMap((rect) => intersect(rect, displayFrame) ?? []);
    if (visibleRegion.length === 0) continue;
    visible.push({ ...each, visibleRegion });
    if (blend === BLEND.NONE && planeAlpha === 1) open = subtractAll(open, [displayFrame]);
  }
  return visible.reverse();
}
