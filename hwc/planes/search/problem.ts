import { BLEND, COMPOSITION, DATASPACE, FORMAT, type Rect, TRANSFORM } from "../../types.ts";
import { whyNot } from "./fit.ts";
import { hides, isOpaque, isProtectedLayer, readsBuffer, scaleOf, whyInvisible } from "./layer_facts.ts";
import type { Plane, PlaneLayer, PlaneModel } from "../plane.ts";
import { areaOf, around, overlapOf, subtract } from "../../rects.ts";

/** The work of a plane for one layer. */
export interface Needs {
  /** Source pixels read for a frame. */
  readonly read: number;
  /** 1 if it is scaled. */
  readonly scalers: number;
  /** 1 if it is turned or flipped. */
  readonly rotators: number;
}

/** One layer, or a bundle of layers, that has to be shown. */
export interface Item extends Needs {
  /** The layers of the frame. */
  readonly layers: readonly number[];
  /**
   * The GPU's work if the client gets the item: pixels drawn, with a large
   * weight for layers that the GPU cannot draw at all.
   */
  readonly work: number;
  /** The cost of a hole for the item in the client target. */
  readonly hole: number;
  /** Whether only the client can have the item. */
  readonly mustClient: boolean;
  /** Whether a hole can be punched for the item. */
  readonly opaque: boolean;
  /** The items that must stay below it: those it shares visible pixels with, as bits. */
  below: number;
  /** Groups of planes that can show it, as bits. */
  readonly fits: number;
  /** The same if nothing is below it. */
  readonly fitsBottom: number;
}

/** Planes that can do the same: only how many there are matters. */
export interface Group {
  /** The tier of these planes. */
  readonly tier: number;
  /** The planes of the model. */
  readonly planes: readonly number[];
}

/** A frame's layers and a controller's planes, made ready to be searched. */
export interface Problem {
  /** From the bottom, 32 at most. */
  readonly items: readonly Item[];
  /** From the lowest tier. */
  readonly groups: readonly Group[];
  /** The plane's work for the client target. */
  readonly target: Pick<Item, "fits" | "fitsBottom" | "read">;
  /** The limits of pixels to read, and of planes that scale and turn. */
  readonly limits: Needs;
}

/** More items than bits would be needed for: those at the bottom are bundled for the client. */
const MOST_ITEMS = 32;
/** Clearing costs the GPU less than drawing. */
const HOLE_WORK = 0.125;
/** Weighs more than any number of pixels: the GPU can't read protected buffers or sideband streams. */
const IMPOSSIBLE = 2 ** 40;

/** The properties of a frame that do not depend on the choice of planes. */
export interface Scene {
  /** The layers, in the order they were given. */
  readonly layers: readonly PlaneLayer[];
  /** The display. */
  readonly screen: Rect;
  /** The planes of the display controller. */
  readonly model: PlaneModel;
}

/** Returns why a layer needs no plane although the device composes it; `undefined` if it needs one. */
export function whyFree({ layers, screen }: Scene, index: number): string | undefined {
  const layer = layers[index], invisible = whyInvisible(layer, screen);
  if (invisible !== undefined) return invisible;
  if (layer.composition === COMPOSITION.CURSOR) return undefined;
  const isAbove = (other: PlaneLayer, at: number) => other.z > layer.z || (other.z === layer.z && at > index);
  const front = layers.find((other, at) =>
    other.composition !== COMPOSITION.INVALID && other.composition !== COMPOSITION.CURSOR && isAbove(other, at) &&
    whyInvisible(other, screen) === undefined && hides(other, layer, screen)
  );
  return front && `${front.name ?? `the layer at z ${front.z}`} hides it`;
}

/** Returns why only the client can have a layer, whatever planes there are; `undefined` if planes can. */
export function whyClient(layer: PlaneLayer): string | undefined {
  if (layer.composition === COMPOSITION.CLIENT) return "the client wants to compose it";
  if (layer.planeAlpha < 1 && layer.blend === BLEND.NONE) return "an opacity without blending means nothing certain";
  return undefined;
}

/** The layer that stands for the client target: a full screen of premultiplied pixels. */
export function clientTargetLayer(screen: Rect): PlaneLayer {
  const buffer = { width: screen.right, height: screen.bottom, format: FORMAT.RGBA_8888, usage: 0n };
  return {
    buffer,
    composition: COMPOSITION.DEVICE,
    blend: BLEND.PREMULTIPLIED,
    planeAlpha: 1,
    transform: TRANSFORM.NONE,
    sourceCrop: screen,
    displayFrame: screen,
    z: 0,
    dataspace: DATASPACE.UNKNOWN,
    name: "client target",
  };
}

/** Makes a frame ready to be searched. `visible` are the layers that need to be shown, from the bottom. */
export function problemOf(scene: Scene, visible: readonly number[]): Problem {
  const groups = groupsOf(scene.model.planes), bundled = Math.max(0, visible.length - MOST_ITEMS);
  const frames: Rect[] = [], items: Item[] = [];
  if (bundled > 0) addBundle(scene, visible.slice(0, bundled + 1), frames, items);
  for (const index of visible.slice(bundled > 0 ? bundled + 1 : 0)) addItem(scene, index, groups, frames, items);
  orderItems(frames, items);
  const target = clientTargetLayer(scene.screen), area = areaOf(scene.screen), { model } = scene;
  return {
    items,
    groups,
    target: { ...fitsOf(target, scene.model.planes, groups), read: area },
    limits: {
      read: (model.bandwidth ?? Infinity) * area,
      scalers: model.scalers ?? Infinity,
      rotators: model.rotators ?? Infinity,
    },
  };
}

const NO_PLANE = { read: 0, scalers: 0, rotators: 0, fits: 0, fitsBottom: 0 };

function addItem(scene: Scene, index: number, groups: readonly Group[], frames: Rect[], items: Item[]): void {
  const layer = scene.layers[index], frame = overlapOf(layer.displayFrame, scene.screen), area = areaOf(frame);
  const mustClient = whyClient(layer) !== undefined;
  const isHard = isProtectedLayer(layer) || layer.composition === COMPOSITION.SIDEBAND;
  items.push({
    layers: [index],
    work: area + (isHard ? IMPOSSIBLE : 0),
    hole: area * HOLE_WORK,
    mustClient,
    opaque: isOpaque(layer),
    below: 0,
    ...(mustClient ? NO_PLANE : { ...fitsOf(layer, scene.model.planes, groups), ...needsOf(layer, area) }),
  });
  frames.push(frame);
}

function addBundle(scene: Scene, indices: readonly number[], frames: Rect[], items: Item[]): void {
  const all = indices.map((index) => overlapOf(scene.layers[index].displayFrame, scene.screen));
  const work = all.reduce((sum, frame) => sum + areaOf(frame), 0);
  items.push({ layers: indices, work, mustClient: true, opaque: false, below: 0, hole: 0, ...NO_PLANE });
  frames.push(all.reduce(around));
}

/** Says of each item which ones must stay below it: those that share pixels with it that no opaque one above both hides. */
function orderItems(frames: readonly Rect[], items: readonly Item[]): void {
  const cover = frames.map((frame, index) => items[index].opaque ? frame : undefined);
  items.forEach((item, index) => {
    for (let other = 0; other < index; other++) {
      if (shows(overlapOf(frames[index], frames[other]), cover.slice(index + 1))) item.below |= 1 << other;
    }
  });
}

/** Whether some pixel of a part is hidden by none of these opaque frames. */
function shows(part: Rect, covers: readonly (Rect | undefined)[]): boolean {
  let left = areaOf(part) > 0 ? [part] : [];
  for (const front of covers) {
    if (left.length === 0) return false;
    if (front) left = left.flatMap((rect) => subtract(rect, front));
  }
  return left.length > 0;
}

/** Pixels beyond the display are not read. */
function needsOf(layer: PlaneLayer, visible: number): Needs {
  const { x, y } = scaleOf(layer), reads = readsBuffer(layer);
  return {
    read: reads ? areaOf(layer.sourceCrop) * visible / areaOf(layer.displayFrame) : 0,
    scalers: x !== 1 || y !== 1 ? 1 : 0,
    rotators: reads && layer.transform !== 0 ? 1 : 0,
  };
}

function fitsOf(layer: PlaneLayer, planes: readonly Plane[], groups: readonly Group[]) {
  const bits = (isBottom: boolean) =>
    groups.reduce((all, group, at) => whyNot(planes[group.planes[0]], layer, isBottom) ? all : all | 1 << at, 0);
  return { fits: bits(false), fitsBottom: bits(true) };
}

const known = new WeakMap<readonly Plane[], readonly Group[]>();

function groupsOf(planes: readonly Plane[]): readonly Group[] {
  let groups = known.get(planes);
  if (!groups) known.set(planes, groups = findGroups(planes));
  return groups;
}

/** JSON has no numbers of 64 bits. */
function inText(_name: string, value: unknown): unknown {
  return typeof value === "bigint" ? `${value}` : value;
}

function findGroups(planes: readonly Plane[]): readonly Group[] {
  const groups = new Map<string, Group & { planes: number[] }>();
  planes.forEach((plane, index) => {
    const key = JSON.stringify({ ...plane, name: "" }, inText), group = groups.get(key);
    if (group) group.planes.push(index);
    else groups.set(key, { tier: plane.tier, planes: [index] });
  });
  return [...groups.values()].sort((one, other) => one.tier - other.tier);
}
