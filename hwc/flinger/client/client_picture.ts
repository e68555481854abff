import type { Frame } from "../../../wsi/contract/frame_consumer.ts";
import type { GraphicBuffer } from "../../../wsi/buffer/graphic_buffer.ts";
import { areaOfAll, disjoint, intersect } from "../../rects.ts";
import type { Rect } from "../../types.ts";
import type { FlingerLayer } from "../layers/flinger_layer.ts";
import { changesBetween, type DrawnLayer } from "./picture_changes.ts";
import type { Renderer } from "../frame/frame_context.ts";

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
