import fc from "fast-check";
import type { CompositionBackend } from "../../../hwc/backends/backend.ts";
import { DATASPACE, FORMAT } from "../../../hwc/types.ts";
import { assertSamePixels } from "./canvas.ts";
import { noiseBuffer, scenes, withScene } from "./scene.ts";

/** Formats of one colour a pixel. */
export const RGB = [FORMAT.RGBA_8888, FORMAT.RGBX_8888, FORMAT.BGRA_8888, FORMAT.RGB_888, FORMAT.RGB_565];
const DEEP = [FORMAT.RGBA_FP16, FORMAT.RGBA_1010102, FORMAT.R_8, FORMAT.Y8];
/** YUV of all kinds. */
export const YUV = [
  FORMAT.YCBCR_420_888,
  FORMAT.YCRCB_420_SP,
  FORMAT.YV12,
  FORMAT.YCBCR_422_SP,
  FORMAT.YCBCR_422_I,
  FORMAT.YCBCR_P010,
];
/** Every format that is read. */
export const ALL = [...RGB, ...DEEP, ...YUV];
/** Those that every backend writes. */
export const TARGETS = [FORMAT.RGBA_8888, FORMAT.RGBX_8888, FORMAT.BGRA_8888];
const DATASPACES = [0, DATASPACE.V0_SRGB, DATASPACE.DISPLAY_P3, DATASPACE.V0_BT709];

/** Draws scenes with two backends over the same junk; layers that one cannot draw are left out. */
export function assertEqual(
  ours: CompositionBackend,
  theirs: CompositionBackend,
  formats: readonly number[],
  numRuns: number,
  targets: readonly number[] = TARGETS,
): void {
  fc.assert(
    fc.property(scenes(formats, targets, DATASPACES), (plan) =>
      withScene(plan, (scene) => {
        const [width, height] = [plan.width, plan.height],
          options = { dataspace: plan.width % 2 ? DATASPACE.DISPLAY_P3 : 0 };
        using a = noiseBuffer(plan.targetFormat, width, height, 7),
          b = noiseBuffer(plan.targetFormat, width, height, 7);
        const layers = scene.filter((layer) =>
          ours.can(layer, a, options) === true && theirs.can(layer, b, options) === true
        );
        ours.compose(a, layers, options);
        theirs.compose(b, layers, options);
        assertSamePixels(a, b, `${ours.name} and ${theirs.name}`);
      })),
    { numRuns },
  );
}
