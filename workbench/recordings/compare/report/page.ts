import { checkOptions, text } from "../../../../ffi/check_options.ts";
import { differencePicture, type TestPicture } from "../../../runs/testing/compare.ts";
import type { DriverComparison, DriverDifference, PieceDifference } from "../finding.ts";
import { actionParts } from "./action_parts.ts";
import { escaped, imageOf, pictureParts, pre, wholePage } from "../../../pages/page_parts.ts";
import { picturesOf } from "./pictures.ts";
import { comparisonText, differenceText, DRIVERS, findingText, identityText } from "./text.ts";

/** Options of {@linkcode findingPage}. */
export interface FindingPageOptions {
  /** The recording's path, for the line that runs the comparison again. */
  readonly recording?: string;
  /** The whole line. Default: `pumice compare` with the recording and two names in place of the drivers. */
  readonly again?: string;
}

type Both<T> = readonly [T, T];
/** Bytes of a row of a buffer, and rows before and in all. */
const ROW = 16, BEFORE = 4, ROWS = 16;

/**
 * Returns a page of HTML about what a comparison came to: who the drivers are,
 * the command with everything that it had bound, and the contents that differ
 * as pictures and bytes. The page needs no other file and no network.
 *
 * @param comparison What {@linkcode compareDrivers} returned.
 *
 * @example
 * ```ts ignore
 * import { compareDrivers, findingPage } from "@pumice/gfx/compare";
 *
 * const drivers = [{ driver: "libvulkan_one.so" }, { driver: "libvulkan_other.so" }] as const;
 * const comparison = await compareDrivers("frame.jsonl", drivers);
 * Deno.writeTextFileSync("finding.html", findingPage(comparison, { recording: "frame.jsonl" }));
 * ```
 */
export function findingPage(comparison: DriverComparison, options: FindingPageOptions = {}): string {
  checkOptions("findingPage()", options, { recording: text("a path"), again: text("a command line") });
  const { drivers, finding } = comparison, { recording = "RECORDING" } = options;
  const again = options.again ?? `pumice compare ${recording} --driver=A.so --driver=B.so`;
  const title = finding?.action
    ? `${finding.action.command} differs`
    : finding
    ? findingText(finding)[0]
    : "no difference";
  const body = `<h1>${escaped(title)}</h1>
<dl>${drivers.map((each, index) => `<dt>${DRIVERS[index]}</dt><dd>${escaped(identityText(each))}</dd>`).join("")}</dl>
${pre(comparisonText({ ...comparison, finding: undefined }).slice(2, finding ? -1 : undefined).join("\n"))}
${finding ? findingParts(finding) : ""}
<h2>Run it again</h2>
${pre(again)}`;
  return wholePage({ title, body });
}

function findingParts(finding: DriverDifference): string {
  const before = new Map(finding.action?.before.map(({ piece, contents }) => [piece.name, contents[0]]));
  const pieces = finding.differences.map((each) =>
    pieceParts(each, finding.contents.get(each.piece.name), before.get(each.piece.name))
  );
  const head = `<p>${escaped(findingText({ ...finding, action: undefined, differences: [] }).join(" "))}</p>`;
  return [head, ...pieces, ...finding.action ? [actionParts(finding.action)] : []].join("\n");
}

function pieceParts(
  difference: PieceDifference,
  contents: Both<Uint8Array> | undefined,
  before: Uint8Array | undefined,
): string {
  const { piece: { name }, bytes } = difference;
  const inside = !contents ? "" : bytes ? bytesParts(bytes.first, contents) : imageParts(difference, contents, before);
  return `<h2>${escaped(name)}</h2><p>${escaped(differenceText(difference))}</p>${inside}`;
}

function imageParts(difference: PieceDifference, contents: Both<Uint8Array>, before: Uint8Array | undefined): string {
  const { pictures: [one, other], marked, notes, x, y, earlier } = picturesOf(difference, contents, before);
  const apart = differencePicture(marked[0] as TestPicture, marked[1] as TestPicture, { channel: 0 });
  return pictureParts({
    ...{ width: one.width, x, y, notes, names: DRIVERS },
    pictures: [imageOf(one, DRIVERS[0]), imageOf(other, DRIVERS[1])],
    difference: imageOf(apart, "difference"),
    ...earlier && { further: ["before the command, on both", imageOf(earlier, "before the command")] },
  });
}

/** The bytes around the first that differs, on both drivers. */
function bytesParts(first: number, contents: Both<Uint8Array>): string {
  const start = Math.max(0, Math.floor(first / ROW) - BEFORE) * ROW,
    length = Math.max(...contents.map((each) => each.length));
  const rows = Array.from({ length: Math.min(ROWS, Math.ceil((length - start) / ROW)) }, (_, row) => start + row * ROW);
  const cells = (at: number, side: 0 | 1) =>
    Array.from({ length: Math.min(ROW, Math.max(0, contents[side].length - at)) }, (_, index) => {
      const byte = contents[side][at + index], text = byte.toString(16).padStart(2, "0");
      return byte === contents[1 - side][at + index] ? text : `<mark>${text}</mark>`;
    }).join(" ");
  const lines = rows.map((at) => `<tr><th>${at}</th><td>${cells(at, 0)}</td><td>${cells(at, 1)}</td></tr>`);
  return `<div class="wide"><table><tr><th>offset</th><th>${DRIVERS[0]}</th><th>${DRIVERS[1]}</th></tr>${
    lines.join("")
  }</table></div>`;
}
