import type { ComposeLayer } from "../../backends/compose_layer.ts";
import { intersect, subtractAll } from "../../backends/plan/rects.ts";
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
  /** All its pixels. */
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
  const roots = layers.filter(({ state }) => state.layerStack === layerStack && !parentIn(layers, state.parent));
  const found = roots.sort(byZ).flatMap((layer) => walk(layers, layer, ROOT)).flatMap(({ layer, resolved: whole }) => {
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

function parentIn(layers: readonly FlingerLayer[], parent: unknown): boolean {
  return layers.some((layer) => layer === parent);
}

function byZ(one: FlingerLayer, other: FlingerLayer): number {
  return one.state.z - other.state.z;
}

/** A layer with its children, some of them below it. */
function walk(layers: readonly FlingerLayer[], layer: FlingerLayer, inherited: Inherited): Found[] {
  const { state } = layer;
  if (state.isHidden) return [];
  const { x, y } = state.position, alpha = inherited.alpha * state.alpha;
  const isSecure = inherited.isSecure || state.isSecure;
  const handedOn = { x: inherited.x + x, y: inherited.y + y, alpha, isSecure };
  const children = layers.filter((child) => child.state.parent === layer).sort(byZ);
  const within = (some: FlingerLayer[]) => some.flatMap((child) => walk(layers, child, handedOn));
  const resolved = resolve(layer, inherited), own = resolved ? [{ layer, resolved }] : [];
  return [
    ...within(children.filter((child) => child.state.z < 0)),
    ...own,
    ...within(children.filter((child) => child.state.z >= 0)),
  ];
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
