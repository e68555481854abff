import { BLEND, COMPOSITION, DATASPACE, FORMAT, type Rect } from "../../types.ts";
import { isFractional, isProtectedLayer, readsBuffer, scaleOf } from "./layer_facts.ts";
import type { BufferCombinations, OverlayProperties } from "../../composer_records.ts";
import type { Plane, PlaneBuffer, PlaneLayer, PlaneModel } from "../plane.ts";
import { MODIFIER, modifierName } from "../../../wsi/buffer/modifier.ts";

const DEFAULT_BLENDS: readonly number[] = [BLEND.NONE, BLEND.PREMULTIPLIED];
/** The layouts of formats of which a plane says nothing. */
const ROWS: readonly bigint[] = [MODIFIER.LINEAR];
const HDR: ReadonlySet<number> = new Set([
  DATASPACE.BT2020_PQ,
  DATASPACE.BT2020_HLG,
  DATASPACE.BT2020_ITU_PQ,
  DATASPACE.BT2020_ITU_HLG,
]);

/**
 * Returns why a plane cannot show a layer, in words; `undefined` if it can. The lowest
 * plane blends with black, which equals showing premultiplied pixels unblended.
 */
export function whyNot(plane: Plane, layer: PlaneLayer, isBottom: boolean): string | undefined {
  return whyNotKind(plane, layer) ?? whyNotPixels(plane, layer) ?? whyNotShape(plane, layer) ??
    whyNotBlend(plane, layer, isBottom);
}

function whyNotKind(plane: Plane, { composition, isCursor }: PlaneLayer): string | undefined {
  if (plane.cursor && composition !== COMPOSITION.CURSOR && !isCursor) return "is for cursors only";
  if (composition === COMPOSITION.SOLID_COLOR && !plane.solidColor) return "cannot show one colour without a buffer";
  if (composition === COMPOSITION.SIDEBAND && !plane.sideband) return "cannot show a sideband stream";
  return undefined;
}

function whyNotPixels(plane: Plane, layer: PlaneLayer): string | undefined {
  if (isProtectedLayer(layer) && !plane.protected) return "cannot read protected buffers";
  const { buffer } = layer; // a layer of the client may have none
  const whyNot = readsBuffer(layer) && buffer && whyNotBuffer(plane, buffer);
  if (whyNot) return whyNot;
  if (layer.colorTransform && !plane.colorTransform) return "cannot transform a layer's colours";
  const { dataspace } = layer;
  return convertsDataspace(plane, dataspace) ? undefined : `cannot convert dataspace ${dataspace}`;
}

function whyNotBuffer({ formats, modifiers }: Plane, { format, modifier = MODIFIER.LINEAR }: PlaneBuffer) {
  if (!formats.includes(format)) return `cannot read ${formatName(format)}`;
  if ((modifiers?.[format] ?? ROWS).includes(modifier)) return undefined;
  return `cannot read ${formatName(format)} in ${modifierName(modifier)}`;
}

/** Whether a plane can show pixels of a dataspace. */
export function convertsDataspace({ dataspaces }: Plane, dataspace: number): boolean {
  return dataspace === DATASPACE.UNKNOWN || (dataspaces?.includes(dataspace) ?? !HDR.has(dataspace));
}

function whyNotShape(plane: Plane, layer: PlaneLayer): string | undefined {
  const { transform, sourceCrop, displayFrame } = layer;
  if (!readsBuffer(layer) || !layer.buffer) return whyNotSize(plane, displayFrame);
  if (transform !== 0 && !plane.transforms?.includes(transform)) return `cannot do transform ${transform}`;
  if (!plane.fractionalCrop && isFractional(sourceCrop)) return "cannot crop between pixels";
  const { maxSource } = plane, width = sourceCrop.right - sourceCrop.left, height = sourceCrop.bottom - sourceCrop.top;
  if (maxSource && (width > maxSource.width || height > maxSource.height)) {
    return `reads at most ${maxSource.width} x ${maxSource.height}, not ${width} x ${height}`;
  }
  return whyNotScale(plane, layer) ?? whyNotSize(plane, displayFrame);
}

function whyNotScale({ scaling }: Plane, layer: PlaneLayer): string | undefined {
  const { x, y } = scaleOf(layer);
  if (x === 1 && y === 1) return undefined;
  if (!scaling) return "cannot scale";
  const fits = [x, y].every((factor) => factor >= scaling.min && factor <= scaling.max);
  return fits ? undefined : `scales by ${scaling.min} to ${scaling.max}, not by ${round(x)} and ${round(y)}`;
}

function whyNotSize({ maxSize }: Plane, { left, top, right, bottom }: Rect): string | undefined {
  if (!maxSize || (right - left <= maxSize.width && bottom - top <= maxSize.height)) return undefined;
  return `shows at most ${maxSize.width} x ${maxSize.height}, not ${right - left} x ${bottom - top}`;
}

function whyNotBlend(plane: Plane, { blend, planeAlpha }: PlaneLayer, isBottom: boolean): string | undefined {
  if (planeAlpha < 1 && plane.planeAlpha === false) return "has no opacity of its own";
  if ((plane.blends ?? DEFAULT_BLENDS).includes(blend)) return undefined;
  if (isBottom && blend === BLEND.PREMULTIPLIED && planeAlpha >= 1) return undefined;
  return `cannot blend ${nameOf(BLEND, blend)}`;
}

function round(value: number): number {
  return Number(value.toPrecision(3));
}

/** A format's name for messages. */
export function formatName(format: number): string {
  return nameOf(FORMAT, format);
}

function nameOf(names: Readonly<Record<string, number>>, value: number): string {
  return Object.keys(names).find((name) => names[name] === value) ?? `0x${(value >>> 0).toString(16)}`;
}

const STANDARD = 0x3f_0000, TRANSFER = 0x7c0_0000, RANGE = 0x3800_0000;
/** Dataspaces that say what pixels mean, in three parts. */
const MEANINGFUL = Object.values(DATASPACE).filter((dataspace) => (dataspace & (STANDARD | TRANSFER | RANGE)) !== 0);

/** Returns what planes of all of some displays show. */
export function overlaysOf(models: readonly PlaneModel[]): OverlayProperties {
  const byKind = new Map<string, { formats: number[]; standards: number[]; transfer: number; range: number }>();
  for (const dataspace of models.length > 0 ? MEANINGFUL : []) {
    const formats = formatsIn(models, dataspace), transfer = dataspace & TRANSFER, range = dataspace & RANGE;
    if (formats.length === 0) continue;
    const key = `${transfer} ${range} ${formats}`, same = byKind.get(key);
    if (same) same.standards.push(dataspace & STANDARD);
    else byKind.set(key, { formats, standards: [dataspace & STANDARD], transfer, range });
  }
  const combinations = [...byKind.values()].map(({ formats, standards, transfer, range }): BufferCombinations => {
    return { pixelFormats: formats, standards, transfers: [transfer], ranges: [range] };
  });
  return { combinations, supportMixedColorSpaces: models.length > 0 && models.every(mixes) };
}

/** The formats that every display has a plane for in a dataspace. */
function formatsIn(models: readonly PlaneModel[], dataspace: number): number[] {
  const [first, ...others] = models.map(({ planes }) => {
    const able = planes.filter((plane) => !plane.cursor && convertsDataspace(plane, dataspace));
    return new Set(able.flatMap(({ formats }) => formats));
  });
  return [...first].filter((format) => others.every((formats) => formats.has(format)));
}

/** Whether two planes of a display convert more than one dataspace each. */
function mixes({ planes }: PlaneModel): boolean {
  const able = planes.filter((plane) =>
    !plane.cursor && MEANINGFUL.filter((one) => convertsDataspace(plane, one)).length > 1
  );
  return able.length > 1;
}
