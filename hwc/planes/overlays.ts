import type { BufferCombinations, OverlayProperties } from "../composer_records.ts";
import { DATASPACE } from "../types.ts";
import type { PlaneModel } from "./plane.ts";
import { convertsDataspace } from "./search/fit.ts";

const STANDARD = 0x3f_0000, TRANSFER = 0x7c0_0000, RANGE = 0x3800_0000;
/** Those that say what pixels mean, in three parts. */
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
