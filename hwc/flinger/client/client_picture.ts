import type { GraphicBuffer } from "../../../wsi/buffer/graphic_buffer.ts";
import type { Frame } from "../../../wsi/contract/frame_consumer.ts";
import type { ComposeLayer } from "../../backends/compose_layer.ts";
import { areaOfAll, disjoint, intersect } from "../../rects.ts";
import { type FRect, type Rect, TRANSFORM } from "../../types.ts";
import type { Renderer } from "../frame/frame_context.ts";
import type { FlingerLayer } from "../layers/flinger_layer.ts";
import { fractionsOf } from "../layers/resolve.ts";

/** The most pictures whose changes are remembered: a buffer with an older picture is drawn anew. */
const MOST_PICTURES = 8;
/** The most rectangles that are drawn by themselves: more are drawn as one rectangle around them. */
const MOST_RECTS = 12;
/** The damage that means that nothing changed. */
const NOTHING: Rect = { left: 0, top: 0, right: 0, bottom: 0 };

/** The client's picture of a display: its changes from one picture to the next, and the picture in each buffer. */
export class ClientPicture {
  #layers: readonly DrawnLayer[] = [];
  #settings = "";
  #screen: Rect = NOTHING;
  /** The changes from one picture to the next, for the last pictures. */
  #changes: (readonly Rect[])[] = [];
  #number = 0;
  #isTold = false;
  readonly #drawn = new WeakMap<GraphicBuffer, number>();
  /** The frames that the renderer has read, and whose buffers have not changed since. */
  #read = new Map<FlingerLayer, Frame>();

  /** The next picture. */
  change(layers: readonly DrawnLayer[], screen: Rect, dataspace: number): void {
    const settings = `${screen.right} ${screen.bottom} ${dataspace}`;
    const changes = settings === this.#settings ? changesBetween(this.#layers, layers) : [screen];
    this.#layers = layers;
    this.#settings = settings;
    this.#screen = screen;
    this.#changes = [...this.#changes, simplified(changes, screen)].slice(-MOST_PICTURES);
    this.#number++;
  }

  /** Whether the picture equals the one before. */
  get isUnchanged(): boolean {
    return this.#changes.at(-1)?.length === 0;
  }

  /** Returns the changes since the last call, for the composer. */
  tell(): readonly Rect[] {
    const changes = this.#changes.at(-1)!, isAll = !this.#isTold || areaOfAll(changes) === areaOfAll([this.#screen]);
    this.#isTold = true;
    return isAll ? [] : changes.length === 0 ? [NOTHING] : changes;
  }

  /** Forgets which picture the composer knows: the next call of `tell` names everything. */
  forgetTold(): void {
    this.#isTold = false;
  }

  /** Forgets a buffer in which another has drawn. */
  forget(target: GraphicBuffer): void {
    this.#drawn.delete(target);
  }

  /** Draws the part of the picture that a buffer lacks. Returns the number of pixels that were drawn. */
  draw(renderer: Renderer, target: GraphicBuffer, dataspace: number): number {
    const damage = this.#missing(target);
    if (damage.length > 0) {
      this.#drawn.delete(target); // it is neither, if that fails
      const layers = this.#layers.map(({ layer, shown, frame }) => {
        return { ...shown, damage: frame && this.#read.get(layer) === frame ? [NOTHING] : [] };
      });
      const { layers: reports } = renderer.compose(target, layers, { dataspace, damage });
      this.#note(reports);
    }
    this.#drawn.set(target, this.#number);
    return areaOfAll(damage);
  }

  #missing(target: GraphicBuffer): readonly Rect[] {
    const drawn = this.#drawn.get(target), age = drawn === undefined ? Infinity : this.#number - drawn;
    if (age === 0) return [];
    if (age > this.#changes.length) return [this.#screen];
    return simplified(this.#changes.slice(-age).flat(), this.#screen);
  }

  /** Only a reader of a buffer knows its pixels: the buffer may be hidden, or outside of the drawn parts. */
  #note(reports: readonly { readonly layer: number; readonly pixels: number }[]): void {
    const read = new Map<FlingerLayer, Frame>();
    this.#layers.forEach(({ layer, frame }, at) => {
      const wasRead = this.#read.get(layer) === frame || (reports[at]?.pixels ?? 0) > 0;
      if (frame && wasRead) read.set(layer, frame);
    });
    this.#read = read;
  }
}

/** The same area, or a little more, in few rectangles that don't overlap. */
function simplified(rects: readonly Rect[], screen: Rect): Rect[] {
  const parts = disjoint(rects.flatMap((rect) => intersect(rect, screen) ?? []));
  if (parts.length <= MOST_RECTS) return parts;
  return [{
    left: Math.min(...parts.map(({ left }) => left)),
    top: Math.min(...parts.map(({ top }) => top)),
    right: Math.max(...parts.map(({ right }) => right)),
    bottom: Math.max(...parts.map(({ bottom }) => bottom)),
  }];
}

/** A layer as the client draws it. */
export interface DrawnLayer {
  /** The layer of the change. */
  readonly layer: FlingerLayer;
  /** The form in which the layer is drawn. */
  readonly shown: ComposeLayer;
  /** The frame of the drawn buffer, if a buffer is drawn. */
  readonly frame: Frame | undefined;
}

/**
 * The parts in which a picture of layers, from the bottom, may differ from the
 * picture before; rectangles may overlap.
 */
function changesBetween(before: readonly DrawnLayer[], now: readonly DrawnLayer[]): Rect[] {
  const old = new Map(before.map((drawn) => [drawn.layer, drawn])),
    kept = new Map(now.map((drawn) => [drawn.layer, drawn]));
  const stayed = now.filter(({ layer }) => old.has(layer));
  const isInOrder = before.filter(({ layer }) => kept.has(layer)).every(({ layer }, at) => stayed[at].layer === layer);
  return [
    ...before.flatMap(({ layer, shown }) => kept.has(layer) ? [] : [shown.displayFrame]),
    ...now.flatMap((drawn) => changesOf(old.get(drawn.layer), drawn, isInOrder)),
  ];
}

function changesOf(before: DrawnLayer | undefined, now: DrawnLayer, isInOrder: boolean): Rect[] {
  const whole = now.shown.displayFrame;
  if (!before) return [whole];
  if (!isInOrder || lookOf(before) !== lookOf(now)) return [before.shown.displayFrame, whole];
  if (before.frame === now.frame) return [];
  // A frame's damage is relative to the frame before it: without that frame, the damage is unknown.
  const isNext = before.frame && now.frame && now.frame.number === before.frame.number + 1n;
  const { damage = [] } = now.frame ?? {};
  if (!isNext || damage.length === 0) return [whole];
  return damage.flatMap((rect) => damageOnDisplay(rect, now.shown) ?? []);
}

/** All that a layer's pixels depend on but those of its buffer. */
function lookOf({ shown }: DrawnLayer): string {
  const { displayFrame, sourceCrop, transform, blend, planeAlpha, dataspace, color, colorTransform } = shown;
  const { isProtected = false, buffer } = shown;
  const pixels = buffer && [buffer.width, buffer.height, buffer.format];
  const place = [displayFrame, sourceCrop, transform, blend, planeAlpha];
  return JSON.stringify([place, dataspace, color, colorTransform, isProtected, pixels]);
}

/** Pixels of the buffer around a changed one that are mixed with it: the next one by filtering, and one that shares its chroma. */
const REACH = 2;

/**
 * The part of the display that shows a changed part of a layer's buffer;
 * `undefined` if none does. The part may be a pixel too large on each side,
 * never too small.
 */
export function damageOnDisplay(
  changed: Rect,
  { sourceCrop, transform, displayFrame }: Pick<ComposeLayer, "sourceCrop" | "transform" | "displayFrame">,
): Rect | undefined {
  const { left, top, right, bottom } = changed;
  if (!(left < right && top < bottom)) return undefined;
  const outset = { left: left - REACH, top: top - REACH, right: right + REACH, bottom: bottom + REACH };
  const seen = intersect(outset, sourceCrop);
  if (!seen) return undefined;
  const part = turned(fractionsOf(seen, sourceCrop), transform);
  const width = displayFrame.right - displayFrame.left, height = displayFrame.bottom - displayFrame.top;
  return intersect({
    left: Math.floor(displayFrame.left + part.left * width) - 1,
    top: Math.floor(displayFrame.top + part.top * height) - 1,
    right: Math.ceil(displayFrame.left + part.right * width) + 1,
    bottom: Math.ceil(displayFrame.top + part.bottom * height) + 1,
  }, displayFrame);
}

/** Flipped, then turned clockwise. */
function turned(part: FRect, transform: number): FRect {
  let { left, top, right, bottom } = part;
  if ((transform & TRANSFORM.FLIP_H) !== 0) [left, right] = [1 - right, 1 - left];
  if ((transform & TRANSFORM.FLIP_V) !== 0) [top, bottom] = [1 - bottom, 1 - top];
  if ((transform & TRANSFORM.ROT_90) === 0) return { left, top, right, bottom };
  return { left: 1 - bottom, top: left, right: 1 - top, bottom: right };
}
