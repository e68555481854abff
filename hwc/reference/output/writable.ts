import { FORMAT } from "../../types.ts";

const WRITTEN: ReadonlySet<number> = new Set([
  FORMAT.RGBA_8888,
  FORMAT.RGBX_8888,
  FORMAT.BGRA_8888,
  FORMAT.RGB_888,
  FORMAT.RGB_565,
  FORMAT.RGBA_1010102,
  FORMAT.RGBA_FP16,
]);

/** Whether pictures can be put together in a HAL format: no backend writes YUV. */
export function canWrite(format: number): boolean {
  return WRITTEN.has(format);
}
