import { NativeBlock } from "../../../ffi/block.ts";
import { BLEND } from "../../types.ts";
import { CompositionError, type CompositionRule } from "../backend.ts";
import { shownPart } from "../plan/drawing_plan.ts";
import type { Painter, Run, Source, Step } from "../plan/step.ts";
import type { PixelKind, Surface } from "../surface.ts";
import type { PixelLibraries } from "./library.ts";
import { type Area, YuvConverter } from "./yuv.ts";

/** Memory that grows and stays, for what lives as long as one layer is drawn. */
class Scratch implements Disposable {
  #block: NativeBlock | undefined;

  /** Address of at least so many bytes, with undefined contents. */
  reserve(size: number): bigint {
    if (this.#block && this.#block.size >= size) return this.#block.address;
    this.close();
    return (this.#block = new NativeBlock(Math.ceil(size / 4096) * 4096)).address;
  }

  /** Gives the memory back; it may be used again. */
  close(): void {
    this.#block?.close();
    this.#block = undefined;
  }

  /** Closes at the end of a `using` scope. */
  [Symbol.dispose](): void {
    this.close();
  }
}

/** pixman's numbers: operators, filters, repeats and format codes (`bpp << 24 | type << 16 | a << 12 | r << 8 | g << 4 | b`). */
const PIXMAN = {
  OP_SRC: 1,
  OP_OVER: 3,
  FILTER_NEAREST: 3,
  FILTER_BILINEAR: 4,
  REPEAT_PAD: 2,
  A8R8G8B8: 0x20028888,
  X8R8G8B8: 0x20020888,
  A8B8G8R8: 0x20038888,
  R8G8B8: 0x18020888,
  B5G6R5: 0x10030565,
} as const;

/** pixman's names of formats as if red were blue, on both sides: in that order it has its fast paths. */
const LABELS: Partial<Record<PixelKind, number>> = {
  rgba8888: PIXMAN.A8R8G8B8,
  rgbx8888: PIXMAN.X8R8G8B8,
  bgra8888: PIXMAN.A8B8G8R8,
  rgb888: PIXMAN.R8G8B8,
  rgb565: PIXMAN.B5G6R5,
};
const TARGETS: ReadonlySet<string> = new Set(["rgba8888", "rgbx8888", "bgra8888"]);
const WORDS = 4;
/** Coordinates of pixman's are 16 bits and a sign. */
const MOST = 16384;
const TRANSFORM_AT = 16;

/** Pixels ready for pixman, in memory that lives until the next are made. */
interface Pixels {
  readonly label: number;
  readonly address: bigint;
  readonly pitch: number;
  readonly width: number;
  readonly height: number;
}

/** Draws with pixman, and YUV through libyuv. */
export class PixmanPainter implements Painter {
  /** The backend's name. */
  readonly name = "pixman";
  readonly #libraries: PixelLibraries;
  readonly #yuv: YuvConverter;
  readonly #turned = new Scratch();
  readonly #converted = new Scratch();
  readonly #words = new NativeBlock(64);

  /** Takes the libraries over. */
  constructor(libraries: PixelLibraries) {
    this.#libraries = libraries;
    this.#yuv = new YuvConverter(libraries);
  }

  /** RGBA, RGBX and BGRA of eight bits. */
  writes({ kind, width, height }: Surface, rule: CompositionRule): true | string {
    if (rule !== "p") return `pixman has no rule "${rule}"`;
    if (Math.max(width, height) > MOST) return `pixman draws up to ${MOST} pixels`;
    return TARGETS.has(kind) || `pixman writes ${kind} slowly or not at all`;
  }

  /** Accepts the steps that pixman computes exactly as the P-rule does. */
  can({ source, blend, conversion }: Step): true | string {
    if (blend === BLEND.COVERAGE) return "pixman has no straight alpha";
    if (conversion) return "pixman does not convert colours";
    if (!source) return true;
    const { surface, across, down } = source;
    if (Math.max(surface.width, surface.height, across, down) > MOST) return `pixman reads up to ${MOST} pixels`;
    if (surface.kind === "yuv") return this.#yuv.can(source);
    if (!LABELS[surface.kind]) return `pixman reads ${surface.kind} slowly or not at all`;
    return surface.pitch % 4 === 0 || `pixman reads rows of a multiple of 4 bytes, not ${surface.pitch}`;
  }

  /** Draws. */
  paint(target: Surface, { steps, background, backgroundColor }: Run): void {
    const all = { x: 0, y: 0, width: target.width, height: target.height };
    const image = this.#image(pixelsOf(target, all));
    try {
      for (const { left, top, right, bottom } of background) {
        this.#withColor(
          backgroundColor,
          (color) =>
            this.#libraries.composite(PIXMAN.OP_SRC, color, 0n, image, [0, 0, left, top, right - left, bottom - top]),
        );
      }
      for (const step of steps) this.#step(image, step);
    } finally {
      this.#libraries.unref(image);
    }
  }

  /** Gives memory and libraries back. */
  close(): void {
    this.#yuv.close();
    this.#turned.close();
    this.#converted.close();
    this.#words.close();
    this.#libraries.close();
  }

  /** Closes at the end of a `using` scope. */
  [Symbol.dispose](): void {
    this.close();
  }

  #step(target: bigint, whole: Step): void {
    const step = isMadeFirst(whole.source) ? shownPart(whole) : whole;
    const draw = (image: bigint) => {
      if (step.alpha8 === 255 || step.isOpaque) return this.#composite(target, step, image, 0n);
      const alpha = step.alpha8 / 255;
      this.#withColor([0, 0, 0, alpha], (mask) => this.#composite(target, step, image, mask));
    };
    if (!step.source) this.#withColor(step.color, draw);
    else this.#withSource(step.source, draw);
  }

  #composite(target: bigint, { frame, rects, blend, isOpaque }: Step, image: bigint, mask: bigint): void {
    const op = blend === BLEND.NONE || isOpaque ? PIXMAN.OP_SRC : PIXMAN.OP_OVER;
    for (const { left, top, right, bottom } of rects) {
      const at = [left - frame.left, top - frame.top, left, top, right - left, bottom - top];
      this.#libraries.composite(op, image, mask, target, at);
    }
  }

  /** The layer's picture as an image that has a pixel for each of the frame. */
  #withSource(source: Source, use: (image: bigint) => void): void {
    const { horizontal, vertical, isFiltered } = source, area = areaOf(source);
    const straight = source.yuv ? this.#fromYuv(source, area) : pixelsOf(source.surface, area);
    const upright = isTurned(source) && isFiltered ? this.#turn(straight, source) : straight;
    const image = this.#image(upright);
    try {
      if (isFiltered) {
        const matrix = [horizontal.step, 0, offset(horizontal), 0, vertical.step, offset(vertical)];
        this.#transform(image, matrix, PIXMAN.FILTER_BILINEAR);
      } else if (isTurned(source)) this.#transform(image, turnOf(source), PIXMAN.FILTER_NEAREST);
      use(image);
    } finally {
      this.#libraries.unref(image);
    }
  }

  /** YUV as RGBX, from an even place on. */
  #fromYuv(source: Source, { x, y, width, height }: Area): Pixels {
    const left = x & 1, top = y & 1, wide = width + left, pitch = WORDS * wide;
    const address = this.#converted.reserve(pitch * (height + top));
    this.#yuv.convert(source, { x: x - left, y: y - top, width: wide, height: height + top }, address, pitch);
    const begin = address + BigInt(top * pitch + WORDS * left);
    return { label: PIXMAN.X8R8G8B8, address: begin, pitch, width, height };
  }

  /** The picture flipped and turned: scaling something that is upright already is quicker, and the rule. */
  #turn(from: Pixels, source: Source): Pixels {
    const { across: width, down: height } = source, pitch = WORDS * width;
    const address = this.#turned.reserve(pitch * height);
    const label = from.label === PIXMAN.A8R8G8B8 || from.label === PIXMAN.A8B8G8R8 ? PIXMAN.A8R8G8B8 : PIXMAN.X8R8G8B8;
    const pixels = { label, address, pitch, width, height };
    const image = this.#image(from), to = this.#image(pixels);
    this.#transform(image, turnOf(source), PIXMAN.FILTER_NEAREST);
    this.#libraries.composite(PIXMAN.OP_SRC, image, 0n, to, [0, 0, 0, 0, width, height]);
    this.#libraries.unref(image);
    this.#libraries.unref(to);
    return pixels;
  }

  #image({ label, address, pitch, width, height }: Pixels): bigint {
    const image = this.#libraries.createBits(label, width, height, address, pitch);
    if (image !== 0n) return image;
    throw new CompositionError(
      "cannot-compose",
      `Cannot compose: pixman makes no image of ${width}×${height} pixels with rows of ${pitch} bytes`,
    );
  }

  /** Two rows of three in 65536ths; the third is 0 0 1. */
  #transform(image: bigint, rows: readonly number[], filter: number): void {
    [...rows, 0, 0, 65536].forEach((value, index) => this.#words.view.setInt32(TRANSFORM_AT + 4 * index, value, true));
    this.#libraries.setTransform(image, this.#words.address + BigInt(TRANSFORM_AT));
    this.#libraries.setFilter(image, filter);
    this.#libraries.setRepeat(image, PIXMAN.REPEAT_PAD);
  }

  /** Uses a colour of bytes in pixman's 16-bit channels: 257 times the byte, because pixman cuts off the lower bits. */
  #withColor([r, g, b, a]: readonly number[], use: (image: bigint) => void): void {
    [b, g, r, a].forEach((value, index) => this.#words.view.setUint16(2 * index, Math.round(255 * value) * 257, true));
    const image = this.#libraries.createSolid(this.#words.address);
    try {
      use(image);
    } finally {
      this.#libraries.unref(image);
    }
  }
}

/** Whether the picture is not as the buffer has it. */
function isTurned({ map: { xi, yj } }: Source): boolean {
  return xi !== 1 || yj !== 1;
}

/** Whether pixels are made before they are drawn, which takes as long as there are pixels. */
function isMadeFirst(source: Source | undefined): boolean {
  return source !== undefined && (source.yuv !== undefined || source.isFiltered && isTurned(source));
}

/** The part of the buffer that the picture is, before it is flipped and turned. */
function areaOf({ map, across, down }: Source): Area {
  const isTurned = map.xi === 0, width = isTurned ? down : across, height = isTurned ? across : down;
  const backwardsX = map.xi + map.xj < 0, backwardsY = map.yi + map.yj < 0;
  return { x: map.ox - (backwardsX ? width - 1 : 0), y: map.oy - (backwardsY ? height - 1 : 0), width, height };
}

/** A part of a surface as an image of its own, so that nothing around it shows. */
function pixelsOf({ kind, address, pitch }: Surface, { x, y, width, height }: Area): Pixels {
  const bytes = kind === "rgb888" ? 3 : kind === "rgb565" ? 2 : 4;
  return { label: LABELS[kind]!, address: address + BigInt(y * pitch + x * bytes), pitch, width, height };
}

/** pixman adds half a step, and takes half a pixel away, itself. */
function offset({ start, step }: { start: number; step: number }): number {
  return start - ((step + 1) >> 1) + 32768;
}

/** From the centres of the picture's pixels to those of the part's. */
function turnOf(source: Source): number[] {
  const { map: { ox, oy, xi, xj, yi, yj } } = source, { x, y } = areaOf(source);
  const row = (i: number, j: number, origin: number) => [i, j, origin + (1 - i - j) / 2].map((value) => 65536 * value);
  return [...row(xi, xj, ox - x), ...row(yi, yj, oy - y)];
}
