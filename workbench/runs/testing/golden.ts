import { createWhole, removeIfThere, writeWhole } from "../../../ffi/file/whole_file.ts";
import { isFile } from "../../../ffi/library/library.ts";
import { decode } from "fast-png";
import { encodePng } from "../../../wsi/consumer/png_file.ts";
import { comparePictures, differencePicture, type TestPicture } from "./compare.ts";
import type { Tolerance } from "./options.ts";
import type { FailedPicture } from "./outcome.ts";

/** The places of golden files and of failed pictures, and the driver of the pictures. */
export interface GoldenPlace {
  /** The folder of the golden files. */
  readonly folder: string;
  /** The folder for pictures that do not match. */
  readonly output: string;
  /** The driver's name. A golden file for this driver has precedence over the file for all drivers. */
  readonly driver: string;
  /** Whether golden files are written instead of compared. */
  readonly update: boolean;
  /** The test of the pictures. A golden file that another test wrote is refused. */
  readonly owner: GoldenOwner;
  /** A folder with copies of the expected pictures, for machines without the golden files. */
  readonly copies?: string;
  /** Whether this driver's picture becomes the golden file for all drivers when golden files are written. */
  readonly leads: boolean;
}

/** The test that a golden file belongs to, as the file says. */
export interface GoldenOwner {
  /** The test's name. */
  readonly test: string;
  /** The name of the test's file, without folders: the file may be anywhere on another machine. */
  readonly file: string;
  /** The folder of the test's file. */
  readonly beside: string;
}

/** The error for a picture that is not as its golden file. */
export class PictureError extends Error {
  /** The files. */
  readonly picture: FailedPicture;

  /** Names the files in `message`, too. */
  constructor(message: string, picture: FailedPicture) {
    super(message);
    this.picture = picture;
  }
}

/**
 * Compares a picture with the golden file of a name, `NAME.DRIVER.png` or otherwise `NAME.png`. A picture that does not
 * match is written beside a picture of the difference, and the error names both.
 *
 * @throws {Error} when it does not match, or there is no golden file.
 */
export function compareWithGolden(
  place: GoldenPlace,
  name: string,
  actual: TestPicture,
  tolerance: Tolerance = {},
): void {
  for (const path of goldenFiles(place, name)) refuseForeign(path, place.owner);
  if (place.update) return updateGolden(place, name, actual, tolerance);
  const left = leftAt(`${place.output}/${name}.${place.driver}`), path = goldenFile(place, name);
  for (const earlier of Object.values(left)) if (earlier !== path) remove(earlier);
  if (!isFile(path)) {
    writePng(left.actual, actual);
    throw new PictureError(
      `There is no golden file ${path}: look at ${left.actual}, and run with PUMICE_UPDATE_GOLDENS=1 to keep it`,
      { name, actual: left.actual },
    );
  }
  const expected = readPng(path), problem = mismatch(expected, actual, tolerance);
  if (!problem) return;
  writePng(left.actual, actual);
  writePng(left.expected, expected);
  if (problem.difference) writePng(left.difference, problem.difference);
  const seen = problem.difference ? `, and where they differ ${left.difference}` : "";
  const what = `${problem.reason}; it is ${left.actual}, beside ${left.expected}${seen}`;
  const { difference, ...pictures } = left;
  throw new PictureError(`The picture is not as in ${path}: ${what}`, {
    name,
    ...pictures,
    ...problem.difference && { difference },
  });
}

/** The files that a failed comparison writes; files of an earlier failure are removed first. */
function leftAt(base: string): { actual: string; expected: string; difference: string } {
  return { actual: `${base}.actual.png`, expected: `${base}.expected.png`, difference: `${base}.diff.png` };
}

/** The possible golden files of a name: the driver's own, and the file for all drivers. */
function goldenFiles({ folder, driver }: Pick<GoldenPlace, "folder" | "driver">, name: string): [string, string] {
  return [`${folder}/${name}.${driver}.png`, `${folder}/${name}.png`];
}

/** Keywords of the texts in a golden file. The values are percent-encoded, since PNG has no other letters. */
const TEST = "Test", FILE = "Test file";

function ownerText({ test, file }: GoldenOwner): Record<string, string> {
  return { [TEST]: encodeURIComponent(test), [FILE]: encodeURIComponent(file) };
}

/** Refuses a golden file of another test, as long as the file of that test is there. */
function refuseForeign(path: string, { test, file, beside }: GoldenOwner): void {
  if (!isFile(path)) return;
  const { text } = decode(Deno.readFileSync(path)), owner = [TEST, FILE].map((key) => text[key]);
  if (owner.includes(undefined!)) return; // a picture that no test wrote
  const [theirs, from] = owner.map(decodeURIComponent);
  if (theirs === test && from === file || from !== file && !isFile(`${beside}/${from}`)) return;
  throw new Error(
    `The golden file ${path} belongs to the test "${theirs}" of ${from}, not to "${test}" of ${file}: give one of ` +
      'the two a name of its own by golden()\'s option "name", or remove the file if that test is gone',
  );
}

/** The golden file to use: the driver's own, otherwise the file for all drivers, otherwise a copy. */
function goldenFile({ folder, driver, copies }: GoldenPlace, name: string): string {
  const [own, common] = goldenFiles({ folder, driver }, name);
  const copy = copies && leftAt(`${copies}/${name}.${driver}`).expected;
  return [own, common, copy].find((path) => path !== undefined && isFile(path)) ?? common;
}

function remove(path: string): void {
  if (isFile(path)) Deno.removeSync(path);
}

interface Mismatch {
  readonly reason: string;
  readonly difference?: TestPicture;
}

function mismatch(expected: TestPicture, actual: TestPicture, tolerance: Tolerance): Mismatch | undefined {
  const { width, height } = expected, all = width * height;
  if (width !== actual.width || height !== actual.height) {
    return { reason: `${actual.width} × ${actual.height} pixels, not ${width} × ${height}` };
  }
  const { pixels, most, first } = comparePictures(expected, actual, tolerance);
  if (pixels <= (tolerance.pixels ?? 0) * all) return undefined;
  const share = (100 * pixels / all).toFixed(2), where = first && `, the first at ${first.x}, ${first.y}`;
  const reason = `${pixels} of ${all} pixels differ (${share} %), by up to ${most}${where}`;
  return { reason, difference: differencePicture(expected, actual, tolerance) };
}

/**
 * Writes golden files: the first driver writes the file for all drivers, another driver writes its own file only if
 * that file does not match.
 */
function updateGolden(place: GoldenPlace, name: string, actual: TestPicture, tolerance: Tolerance): void {
  const [own, common] = goldenFiles(place, name);
  const fits = isFile(common) && !mismatch(readPng(common), actual, tolerance);
  if (fits) refuseForeign(common, place.owner); // another test may have written the file just now
  if (fits || place.leads) {
    if (isFile(own)) removeIfThere(own);
    if (!fits) writeGolden(place, common, actual, tolerance);
  } else writeGolden(place, own, actual, tolerance);
}

/** Writes a golden file. Another process may write one of that name at the same moment: the later one is told. */
function writeGolden({ owner }: GoldenPlace, path: string, actual: TestPicture, tolerance: Tolerance): void {
  const text = ownerText(owner);
  if (isFile(path)) {
    refuseForeign(path, owner); // the file may have come since the picture was compared
    return writePng(path, actual, text);
  }
  makeFolderOf(path);
  if (createWhole(path, encodePng(actual, text))) return;
  refuseForeign(path, owner);
  const problem = mismatch(readPng(path), actual, tolerance);
  if (!problem) return;
  throw new Error(
    `Another run of "${owner.test}" wrote the golden file ${path} at this moment, with another picture ` +
      `(${problem.reason}): look at the file, and run the test again, alone`,
  );
}

/** Reads a PNG file with 8 bits in each channel. Throws a `TypeError` for other files. */
export function readPng(path: string): TestPicture {
  const { width, height, data, channels, depth } = decoded(path, Deno.readFileSync(path));
  if (depth !== 8 || channels < 3) {
    throw new TypeError(`Cannot read ${path}: found ${channels} channels of ${depth} bits; give RGB or RGBA of 8 bits`);
  }
  if (channels === 4) return { width, height, data: data as Uint8Array };
  const rgba = new Uint8Array(4 * width * height).fill(255);
  for (let pixel = 0; pixel < width * height; pixel++) {
    rgba.set(data.subarray(3 * pixel, 3 * pixel + 3) as Uint8Array, 4 * pixel);
  }
  return { width, height, data: rgba };
}

/** Bytes of a picture for a byte of its file: deflate makes no more of one. */
const MOST_PACKED = 1032, WIDTH_AT = 16, HEIGHT_AT = 20;

function decoded(path: string, bytes: Uint8Array): ReturnType<typeof decode> {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const pixels = bytes.length < HEIGHT_AT + 4 ? 0 : view.getUint32(WIDTH_AT) * view.getUint32(HEIGHT_AT);
  if (pixels > MOST_PACKED * bytes.length) {
    throw new TypeError(`Cannot read ${path}: ${bytes.length} bytes cannot hold its ${pixels} pixels of 8 bits`);
  }
  try {
    return decode(bytes);
  } catch (cause) {
    throw new TypeError(`Cannot read ${path}: it is no whole PNG file (${(cause as Error).message})`, { cause });
  }
}

/** Writes a PNG file, with texts by keyword, and creates its folders. */
export function writePng(path: string, picture: TestPicture, text: Readonly<Record<string, string>> = {}): void {
  makeFolderOf(path);
  writeWhole(path, encodePng(picture, text));
}

function makeFolderOf(path: string): void {
  Deno.mkdirSync(path.slice(0, path.lastIndexOf("/")), { recursive: true });
}
