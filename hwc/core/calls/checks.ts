import { halFormatOf } from "../../../wsi/buffer/hal_format.ts";
import { ERROR, FORMAT } from "../../types.ts";
import { refuse } from "../refusal.ts";

/** BAD_PARAMETER unless a value is one of some. */
export function checkOneOf(what: string, value: number, known: Readonly<Record<string, number>>, from = 0): void {
  const values = Object.values(known).filter((one) => one >= from);
  if (values.includes(value)) return;
  const names = Object.entries(known).filter(([, one]) => one >= from).map(([name, one]) => `${name} ${one}`);
  refuse(ERROR.BAD_PARAMETER, `${value} is no ${what}; give ${names.join(", ")}`);
}

/** BAD_PARAMETER unless there are sixteen numbers. */
export function checkMatrix(matrix: readonly number[]): void {
  if (matrix?.length === 16 && matrix.every(Number.isFinite)) return;
  refuse(ERROR.BAD_PARAMETER, "a colour transform has sixteen numbers, row by row");
}

/** Throws BAD_PARAMETER for a missing value. */
export function checkThere<Thing>(what: string, thing: Thing | null | undefined): Thing {
  if (thing === null || thing === undefined) refuse(ERROR.BAD_PARAMETER, `there is no ${what}; give one`);
  return thing;
}

/** UNSUPPORTED unless something can be done. */
export function checkCan(can: boolean, what: string): void {
  if (!can) refuse(ERROR.UNSUPPORTED, `this display cannot ${what}; ask for its capabilities first`);
}

const PACKED: ReadonlySet<number> = new Set([
  FORMAT.RGBA_8888,
  FORMAT.RGBX_8888,
  FORMAT.BGRA_8888,
  FORMAT.RGB_888,
  FORMAT.RGB_565,
  FORMAT.RGBA_1010102,
  FORMAT.RGBA_FP16,
  FORMAT.YCBCR_422_I,
]);
/** Arrangements of samples in planes. */
const IN_PLANES: ReadonlySet<string> = new Set(["yv12", "i420", "nv12", "nv21", "p010", "nv16", "i422", "i444"]);

/** Whether pictures can be put together in a HAL format. */
export function canWrite(format: number): boolean {
  return PACKED.has(format) || IN_PLANES.has(halFormatOf(format)?.arrangement ?? "");
}
