import { FORMAT } from "../../types.ts";
import { showFrame, type ShownFrame } from "../frame.ts";
import { byDevice } from "./layers.ts";
import { isGray, paint, type Rgb } from "../paint.ts";
import { failed, passed, reported } from "../../../loader/requirements/requirement.ts";
import type { Outcome } from "../../../loader/requirements/verdict.ts";
import { GUIDE, type Probe } from "../probe.ts";
import type { ComposerSession } from "../session.ts";

/** Each of its components is another: components in each other's place make another colour. */
const RED: Rgb = [255, 0, 0], YELLOW: Rgb = [255, 255, 0];
type Name = keyof typeof FORMAT;

/** RGB: those that every window has, and those that few displays need. */
const RGB: readonly (readonly [name: Name, isAsked: boolean])[] = [
  ["RGBA_8888", true],
  ["RGBX_8888", true],
  ["BGRA_8888", true],
  ["RGB_565", false],
  ["RGBA_1010102", false],
  ["RGBA_FP16", false],
];
/** YUV: those of codecs and cameras. */
const YUV: readonly (readonly [name: Name, isAsked: boolean])[] = [
  ["YV12", true],
  ["YCBCR_420_888", true],
  ["YCRCB_420_SP", false],
  ["YCBCR_P010", false],
];
const SOURCE = `${GUIDE}, requirements`;

/** S7: each format, and rows with space between them. */
export const FORMAT_PROBES: readonly Probe[] = [
  ...RGB.map(([name, isAsked]) => formatProbe(name, isAsked, redFrame)),
  ...YUV.map(([name, isAsked]) => formatProbe(name, isAsked, grayFrame)),
  {
    id: "S7",
    rule: "composer.format.stride",
    requirement: "Rows of a buffer may have space between them.",
    source: SOURCE,
    advice: "go from row to row by the buffer's stride, not by its width",
    check: strided,
  },
];

const SHOWN = "a layer of it is shown without the GPU";
type Judge = (frame: ShownFrame) => Outcome;

function formatProbe(name: Name, isAsked: boolean, judge: Judge): Probe {
  return {
    id: "S7",
    rule: `composer.format.${name}`,
    requirement: `Layers of ${name} are shown without the GPU${isAsked ? "" : ", where the display benefits"}.`,
    source: SOURCE,
    advice: `read ${name} on a plane, with its components where they belong`,
    check: async (session) => {
      const buffer = paint(session.allocate({ format: FORMAT[name] }), RED);
      const result = judge(await showFrame(session, [{ buffer }]));
      return result.status === "fail" && !isAsked ? reported(result.found) : result;
    },
  };
}

function redFrame(frame: ShownFrame): Outcome {
  return byDevice(frame, [[1, 1, RED]], SHOWN);
}

function grayFrame(frame: ShownFrame): Outcome {
  if (frame.changed > 0) return failed(`${frame.changed} of the layers were left to the client`);
  const seen = frame.pixel(1, 1);
  if (!seen) return passed(`${SHOWN}; its picture cannot be read back`);
  return isGray(seen) ? passed(SHOWN) : failed(`gray is shown as ${seen.join()}`);
}

/** Uses a width that no row of memory has. */
async function strided(session: ComposerSession): Promise<Outcome> {
  const { right, bottom } = session.screen, width = right - 1, crop = { left: 0, top: 0, right: width, bottom };
  const buffer = paint(session.allocate({ width }), YELLOW);
  const frame = await showFrame(session, [{ buffer, crop, frame: crop }]);
  const found = `a buffer of ${width} columns and ${buffer.stride} to a row is shown`;
  return byDevice(frame, [[1, 1, YELLOW], [width - 2, bottom - 1, YELLOW]], found);
}
