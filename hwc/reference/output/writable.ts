import { halFormatOf } from "../../../wsi/buffer/hal_format.ts";
import { FORMAT } from "../../types.ts";

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
