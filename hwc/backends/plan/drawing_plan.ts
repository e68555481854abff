import type { GraphicBuffer } from "../../../wsi/buffer/graphic_buffer.ts";
import { BLEND, COMPOSITION, DATASPACE, type Rect, TRANSFORM } from "../../types.ts";
import { type ComposeOptions, CompositionError, type CompositionRule } from "../backend.ts";
import { colorConversion } from "../colors/color_conversion.ts";
import type { ComposeLayer } from "../compose_layer.ts";
import { resolveDataspace, type ResolvedDataspace } from "../colors/dataspace.ts";
import { around, disjoint, intersect, subtractAll } from "../../rects.ts";
import type { PixelMap, Scaling, Source, Step } from "./step.ts";
import { hasAlpha, type Surface, surfaceOf } from "../surface.ts";
import { yuvCoefficients } from "../colors/yuv_coefficients.ts";

const ONE = 65536;

/** The shown part of a buffer: whole pixels that hold the crop, and their excess on each side. */
interface Crop {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
  readonly left: number;
  readonly top: number;
  readonly right: number;
  readonly bottom: number;
}

/** The source of a layer's pixels; a sentence if the layer has none to show. */
function sourceOf(layer: ComposeLayer): Source | string {
  if (!layer.buffer) return "it has no buffer";
  const surface = surfaceOf(layer.buffer);
  if (typeof surface === "string") return surface;
  const crop = cropOf(layer, surface);
  if (!crop) return "its crop is empty or outside the buffer";
  const [first, ...more] = layer.damage ?? [];
  const isUnchanged = first !== undefined && more.length === 0 &&
    !(first.left < first.right && first.top < first.bottom);
  return { ...geometryOf(layer, crop), surface, buffer: layer.buffer, ...yuvOf(layer, surface), isUnchanged };
}

function yuvOf({ dataspace }: ComposeLayer, { kind, width, height }: Surface): Pick<Source, "yuv"> {
  return kind === "yuv" ? { yuv: yuvCoefficients(dataspace, width, height) } : {};
}

function cropOf({ sourceCrop }: ComposeLayer, { width, height }: Surface): Crop | undefined {
  const left = Math.max(0, sourceCrop.left), top = Math.max(0, sourceCrop.top);
  const right = Math.min(width, sourceCrop.right), bottom = Math.min(height, sourceCrop.bottom);
  if (!(left < right && top < bottom)) return undefined;
  const x = Math.floor(left), y = Math.floor(top), endX = Math.ceil(right), endY = Math.ceil(bottom);
  const size = { x, y, width: endX - x, height: endY - y };
  return { ...size, left: left - x, top: top - y, right: endX - right, bottom: endY - bottom };
}

function geometryOf({ transform, displayFrame: frame }: ComposeLayer, crop: Crop) {
  const isTurned = (transform & TRANSFORM.ROT_90) !== 0;
  const flipH = (transform & TRANSFORM.FLIP_H) !== 0, flipV = (transform & TRANSFORM.FLIP_V) !== 0;
  const [across, down] = isTurned ? [crop.height, crop.width] : [crop.width, crop.height];
  const shownX = crop.width - crop.left - crop.right, shownY = crop.height - crop.top - crop.bottom;
  const beforeX = flipH ? crop.right : crop.left, beforeY = flipV !== isTurned ? crop.bottom : crop.top;
  const [left, top] = isTurned ? [beforeY, beforeX] : [beforeX, beforeY];
  const [wide, high] = isTurned ? [shownY, shownX] : [shownX, shownY];
  const width = frame.right - frame.left, height = frame.bottom - frame.top;
  return {
    across,
    down,
    map: mapOf(crop, isTurned, flipH, flipV),
    isFiltered: wide !== width || high !== height || left !== 0 || top !== 0,
    horizontal: scaling(left, wide, width),
    vertical: scaling(top, high, height),
    exact: { left, top, x: wide / width, y: high / height },
  };
}

/** Flips come first, then the turn: so backwards the turn is undone first. */
function mapOf(crop: Crop, isTurned: boolean, flipH: boolean, flipV: boolean): PixelMap {
  const backwardsX = flipH, backwardsY = flipV !== isTurned;
  const ox = crop.x + (backwardsX ? crop.width - 1 : 0), oy = crop.y + (backwardsY ? crop.height - 1 : 0);
  const x = backwardsX ? -1 : 1, y = backwardsY ? -1 : 1;
  return isTurned ? { ox, oy, xi: 0, xj: x, yi: y, yj: 0 } : { ox, oy, xi: x, xj: 0, yi: 0, yj: y };
}

/** The place of the first pixel's centre is half a step in; half a pixel before it is the first tap's centre. */
function scaling(before: number, shown: number, pixels: number): Scaling {
  const step = Math.round(shown * ONE / pixels);
  return { step, start: Math.round(before * ONE) + ((step + 1) >> 1) - ONE / 2 };
}

/** The drawing steps of a frame. */
export interface DrawingPlan {
  /** The buffer drawn into. */
  readonly target: Surface;
  /** The drawing steps, lowest first. */
  readonly steps: readonly Step[];
  /** The reasons why layers are not drawn, by the layers' places in the given list. */
  readonly culled: ReadonlyMap<number, string>;
  /** The parts of the target that are drawn. */
  readonly area: readonly Rect[];
  /** The parts that no opaque layer covers. */
  readonly background: readonly Rect[];
  /** The arithmetic. */
  readonly rule: CompositionRule;
}

/**
 * Decides what is drawn of a frame: the visible layers in the order of z, each
 * with its visible parts. Throws a `CompositionError` `bad-target` or
 * `bad-layer`.
 */
export function planDrawing(
  target: GraphicBuffer,
  layers: readonly ComposeLayer[],
  options: ComposeOptions = {},
): DrawingPlan {
  const surface = targetSurface(target), culled = new Map<number, string>();
  const whole = { left: 0, top: 0, right: surface.width, bottom: surface.height };
  const area = disjoint((options.damage ?? [whole]).flatMap((rect) => intersect(rect, whole) ?? []));
  let open = area, background = area;
  const order = layers.map((layer, index) => ({ layer, index })).sort((a, b) =>
    b.layer.z - a.layer.z || b.index - a.index
  );
  const steps: Step[] = [];
  for (const { layer, index } of order) {
    const step = stepOf(layer, index, surface, options);
    if (typeof step === "string") culled.set(index, step);
    else {
      const rects = open.flatMap((rect) => intersect(rect, step.frame) ?? []);
      if (rects.length === 0) culled.set(index, whyUnseen(step, options, whole));
      else steps.push({ ...step, rects });
      if (step.isOpaque) background = subtractAll(background, [step.frame]);
      if (options.cull !== false) open = background;
    }
  }
  return { target: surface, steps: steps.reverse(), culled, area, background, rule: options.rule ?? "p" };
}

/** A single layer as a step that draws all of its frame. Throws what {@linkcode planDrawing} throws. */
export function stepOf(
  layer: ComposeLayer,
  index: number,
  target: Surface,
  { dataspace = DATASPACE.UNKNOWN, isProtected = target.isProtected }: ComposeOptions,
): Step | string {
  if (layer.composition === COMPOSITION.INVALID) return "its composition type was never set";
  const { displayFrame: frame, blend, planeAlpha: alpha } = layer;
  if (!(frame.left < frame.right && frame.top < frame.bottom)) return "its display frame is empty";
  check(layer, index);
  if (alpha === 0 && blend !== BLEND.NONE) return "its plane alpha is 0";
  const common = { layer: index, frame, rects: [frame] };
  const isSolid = layer.composition === COMPOSITION.SOLID_COLOR || !layer.buffer;
  const drawn = { ...common, blend, alpha, alpha8: Math.round(255 * alpha) };
  if (isSolid) return layer.color ? solidStep(layer, drawn, dataspace) : "it has neither buffer nor colour";
  const source = sourceOf(layer);
  if (typeof source === "string") return layer.buffer!.isClosed ? refuse(index, layer, source) : source;
  if ((source.surface.isProtected || layer.isProtected) && !isProtected) return { ...common, ...BLACK };
  return {
    ...drawn,
    source,
    color: NO_COLOR,
    isOpaque: isOpaque(layer, source),
    ...conversionOf(layer, dataspace, source),
  };
}

type Drawn = Pick<Step, "layer" | "frame" | "rects" | "blend" | "alpha" | "alpha8">;

const NO_COLOR = [0, 0, 0, 0] as const;
/** The black colour that replaces a protected layer in a target without protection. */
const BLACK = { color: [0, 0, 0, 1], blend: BLEND.NONE, alpha: 1, alpha8: 255, isOpaque: true } as const;

function solidStep(layer: ComposeLayer, drawn: Drawn, dataspace: number): Step {
  const { r, g, b, a } = layer.color!;
  const isOpaque = drawn.alpha8 === 255 && (a === 1 || drawn.blend === BLEND.NONE);
  return { ...drawn, color: [r, g, b, a], isOpaque, ...conversionOf(layer, dataspace) };
}

/** Alpha is the same in eight bits and in fractions only if it is 1. */
function isOpaque({ blend, planeAlpha }: ComposeLayer, { surface }: Source): boolean {
  return planeAlpha === 1 && (blend === BLEND.NONE || !hasAlpha(surface.kind));
}

/** If neither side names its colours, only a colour transform changes them. */
function conversionOf(layer: ComposeLayer, dataspace: number, source?: Source): Pick<Step, "conversion"> {
  const { width = 0, height = 0 } = source?.surface ?? {}, isYuv = source?.yuv !== undefined;
  const context = { isYuv: false, width, height };
  const to = resolveDataspace(dataspace, context);
  const own = resolveDataspace(layer.dataspace, { ...context, isYuv });
  // The coefficients have taken the range of YUV away.
  const from: ResolvedDataspace = isYuv ? { ...own, isLimited: false } : own;
  const isManaged = dataspace !== 0 && layer.dataspace !== 0;
  const conversion = colorConversion(isManaged ? from : to, to, layer.colorTransform);
  return conversion ? { conversion } : {};
}

function check(layer: ComposeLayer, index: number): void {
  const { blend, planeAlpha, transform, colorTransform } = layer;
  if (!(planeAlpha >= 0 && planeAlpha <= 1)) refuse(index, layer, `its plane alpha is ${planeAlpha}; give 0 to 1`);
  if (![BLEND.NONE, BLEND.PREMULTIPLIED, BLEND.COVERAGE].includes(blend as 1)) {
    refuse(index, layer, `its blend mode is ${blend}; give 1 to 3`);
  }
  if (!(transform >= 0 && transform <= 7)) refuse(index, layer, `its transform is ${transform}; give 0 to 7`);
  if (colorTransform && colorTransform.length !== 16) {
    refuse(index, layer, `its colour transform has ${colorTransform.length} numbers; give 16`);
  }
}

function refuse(index: number, { name }: ComposeLayer, why: string): never {
  throw new CompositionError("bad-layer", `Cannot compose layer ${index}${name ? ` "${name}"` : ""}: ${why}`);
}

function targetSurface(target: GraphicBuffer): Surface {
  const surface = surfaceOf(target);
  if (typeof surface !== "string" && surface.kind !== "yuv") return surface;
  const why = typeof surface === "string" ? surface : "its painters write RGB; give it an RGB format";
  throw new CompositionError("bad-target", `Cannot compose into buffer ${target.id}: ${why}`);
}

function whyUnseen({ frame }: Step, { damage }: ComposeOptions, whole: Rect): string {
  if (!intersect(frame, whole)) return "it is outside the target";
  if (damage && !damage.some((rect) => intersect(frame, rect))) return "it is outside the damage";
  return "opaque layers are above it";
}

/** Pixels beside the outermost taps that are kept, so that no rounding of a painter's own reads beyond the part. */
const MARGIN = 2;

/** Pixels of a picture from one on, in one direction. */
interface Span {
  readonly from: number;
  readonly count: number;
}

/**
 * Returns a step whose picture is only what the step's rectangles show of it, for painters that convert or turn a
 * picture before they draw: a band of a frame, or a little damage, then costs its own part of that. The pixels are the
 * same. Steps without a picture stay what they are.
 */
export function shownPart(step: Step): Step {
  const { source, frame, rects } = step;
  if (!source || rects.length === 0) return step;
  const { left, top, right, bottom } = rects.reduce(around), { isFiltered, horizontal, vertical } = source;
  const columns = spanOf([left - frame.left, right - frame.left], source.across, isFiltered && horizontal);
  const rows = spanOf([top - frame.top, bottom - frame.top], source.down, isFiltered && vertical);
  const part = partOf(source, columns, rows);
  if (!isFiltered) {
    return { ...step, source: part, frame: { ...frame, left: frame.left + columns.from, top: frame.top + rows.from } };
  }
  const scaled = { horizontal: movedBy(columns, horizontal), vertical: movedBy(rows, vertical) };
  return { ...step, source: { ...part, ...scaled } };
}

/** The pixels of a picture of `length` that the frame's pixels from the first to before the last show. */
function spanOf([first, last]: readonly [number, number], length: number, scaling: Scaling | false): Span {
  const place = (pixel: number) => scaling ? Math.floor((scaling.start + scaling.step * pixel) / ONE) : pixel;
  const before = scaling ? MARGIN : 0, behind = scaling ? MARGIN + 2 : 1; // the second tap, and the end
  const from = Math.min(Math.max(place(first) - before, 0), length - 1);
  return { from, count: Math.max(Math.min(place(last - 1) + behind, length) - from, 1) };
}

function partOf(source: Source, columns: Span, rows: Span): Source {
  const { map, exact } = source, { from: i } = columns, { from: j } = rows;
  return {
    ...source,
    across: columns.count,
    down: rows.count,
    map: { ...map, ox: map.ox + i * map.xi + j * map.xj, oy: map.oy + i * map.yi + j * map.yj },
    exact: { ...exact, left: exact.left - i, top: exact.top - j },
  };
}

function movedBy({ from }: Span, { start, step }: Scaling): Scaling {
  return { start: start - ONE * from, step };
}
