import { whyNot } from "../../../hwc/planes/search/fit.ts";
import type { PlaneLayer, PlaneModel } from "../../../hwc/planes/plane.ts";
import { BLEND, COMPOSITION, FORMAT, type Rect } from "../../../hwc/types.ts";

/** The layers that show at one point, from the front to the first that nothing shows through. */
type Seen = number[];

/** Whether nothing shows through a layer. */
function covers({ blend, planeAlpha, buffer }: PlaneLayer): boolean {
  return planeAlpha === 1 && (blend === BLEND.NONE || buffer!.format === FORMAT.RGBX_8888);
}

function isAt({ displayFrame: { left, top, right, bottom } }: PlaneLayer, x: number, y: number): boolean {
  return x >= left && x < right && y >= top && y < bottom;
}

function* points(screen: Rect): Generator<[number, number]> {
  for (let y = 0; y < screen.bottom; y++) for (let x = 0; x < screen.right; x++) yield [x, y];
}

function firstCovers(layers: readonly PlaneLayer[], front: number[]): Seen {
  const end = front.findIndex((index) => covers(layers[index]));
  return end < 0 ? front : front.slice(0, end + 1);
}

/** Returns the layers that planes, bottom first, show at a point; -1 is the client target, with the holes asked for. */
function seenAt(layers: readonly PlaneLayer[], stack: number[], holes: Set<number>, x: number, y: number): Seen {
  const shown = new Set(stack), front: number[] = [];
  const client = layers.map((_, index) => index).filter((index) => !shown.has(index) || holes.has(index));
  for (const entry of stack.toReversed()) {
    if (entry >= 0) {
      if (isAt(layers[entry], x, y)) front.push(entry);
      continue;
    }
    for (const index of client.toReversed()) {
      if (!isAt(layers[index], x, y)) continue;
      if (holes.has(index)) break;
      front.push(index);
    }
  }
  return firstCovers(layers, front);
}

/** Whether planes show the same at every point as all layers put over each other. */
export function showsTheSame(
  layers: readonly PlaneLayer[],
  stack: number[],
  holes: Set<number>,
  screen: Rect,
): boolean {
  for (const [x, y] of points(screen)) {
    const all = layers.map((_, index) => index).filter((index) => isAt(layers[index], x, y)).toReversed();
    const wanted = firstCovers(layers, all), found = seenAt(layers, stack, holes, x, y);
    if (wanted.join() !== found.join()) return false;
  }
  return true;
}

function pixels(layer: PlaneLayer, screen: Rect): number {
  return [...points(screen)].filter(([x, y]) => isAt(layer, x, y)).length;
}

/**
 * The least that can be left to the GPU, found by trying everything: every set
 * of layers on planes, every place of the client target, every order of planes,
 * with a hole for every layer below the target that needs one. Layers are in z order
 * and none is hidden.
 */
export function leastWork(layers: readonly PlaneLayer[], model: PlaneModel, screen: Rect): number {
  let least = Infinity;
  for (let set = 0; set < 1 << layers.length; set++) {
    const onPlanes = layers.flatMap((_, index) => set & 1 << index ? [index] : []);
    const isAllowed = onPlanes.every((index) => {
      const { composition, blend, planeAlpha } = layers[index];
      return composition !== COMPOSITION.CLIENT && !(blend === BLEND.NONE && planeAlpha < 1);
    });
    const left = layers.filter((_, index) => !(set & 1 << index));
    const work = left.reduce((sum, layer) => sum + pixels(layer, screen), 0);
    if (!isAllowed || work >= least) continue;
    for (const stack of left.length === 0 ? [onPlanes] : withTarget(onPlanes)) {
      const holes = holesFor(layers, stack, screen);
      if (!holes || !showsTheSame(layers, stack, holes, screen)) continue;
      const cost = work + [...holes].reduce((sum, index) => sum + pixels(layers[index], screen) / 8, 0);
      if (cost < least && canShow(layers, stack, model, screen)) least = cost;
    }
  }
  return least;
}

function withTarget(onPlanes: number[]): number[][] {
  return Array.from({ length: onPlanes.length + 1 }, (_, at) => onPlanes.toSpliced(at, 0, -1));
}

/**
 * Holes for the layers below the target that cover something of the client's
 * where nothing above hides both; `undefined` if one of them lets it through.
 */
function holesFor(layers: readonly PlaneLayer[], stack: number[], screen: Rect): Set<number> | undefined {
  const under = stack.slice(0, Math.max(0, stack.indexOf(-1))), holes = new Set<number>();
  for (const index of under) {
    const over = layers.some((other, at) =>
      at < index && !stack.includes(at) &&
      [...points(screen)].some(([x, y]) => isAt(other, x, y) && isSeen(layers, index, x, y))
    );
    if (over && !covers(layers[index])) return undefined;
    if (over) holes.add(index);
  }
  return holes;
}

/** Whether a layer has a point that no layer above it hides. */
function isSeen(layers: readonly PlaneLayer[], index: number, x: number, y: number): boolean {
  return isAt(layers[index], x, y) &&
    !layers.some((front, above) => above > index && covers(front) && isAt(front, x, y));
}

function canShow(layers: readonly PlaneLayer[], stack: number[], model: PlaneModel, screen: Rect): boolean {
  const area = screen.right * screen.bottom;
  let read = 0, scalers = 0, rotators = 0;
  for (const index of stack) {
    if (index < 0) {
      read += area;
      continue;
    }
    const { sourceCrop: crop, displayFrame: frame, transform } = layers[index];
    const [width, height] = [crop.right - crop.left, crop.bottom - crop.top];
    const [across, down] = transform & 4 ? [height, width] : [width, height];
    read += width * height;
    if (across !== frame.right - frame.left || down !== frame.bottom - frame.top) scalers++;
    if (transform !== 0) rotators++;
  }
  if (read > (model.bandwidth ?? Infinity) * area) return false;
  if (scalers > (model.scalers ?? Infinity) || rotators > (model.rotators ?? Infinity)) return false;
  return place(layers, stack, 0, new Set(), -1, model, screen);
}

function place(
  layers: readonly PlaneLayer[],
  stack: number[],
  at: number,
  used: Set<number>,
  tier: number,
  model: PlaneModel,
  screen: Rect,
): boolean {
  if (at === stack.length) return true;
  const buffer = { width: screen.right, height: screen.bottom, format: FORMAT.RGBA_8888, usage: 0n };
  const target: PlaneLayer = {
    ...{ buffer, composition: COMPOSITION.DEVICE, blend: BLEND.PREMULTIPLIED, planeAlpha: 1, transform: 0 },
    ...{ sourceCrop: screen, displayFrame: screen, z: 0, dataspace: 0 },
  };
  const layer = stack[at] < 0 ? target : layers[stack[at]];
  return model.planes.some((plane, index) => {
    if (used.has(index) || plane.tier < tier || whyNot(plane, layer, at === 0)) return false;
    return place(layers, stack, at + 1, new Set([...used, index]), plane.tier, model, screen);
  });
}
