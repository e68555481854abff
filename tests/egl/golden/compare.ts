/**
 * Draws the golden picture with every version of OpenGL ES on a driver and
 * says how far each is from docs/gles.png, with nothing but this project and
 * Deno: for machines with a GPU and without a network.
 *
 * `deno run -A --no-remote tests/egl/golden/compare.ts DRIVER [VERSION…]`, such
 * as `libEGL_nvidia.so.0`. Exit codes: 0 all look the same, 1 one doesn't.
 *
 * @module
 */
import { inflateSync } from "node:zlib";
import { loadEgl } from "../../../egl/mod.ts";
import { PAINTERS, type Version } from "../../../examples/gles/painter.ts";
import { drawPicture } from "../../../examples/gles/picture.ts";

const GOLDEN = new URL("../../../docs/gles.png", import.meta.url);
/** One pixel in a thousand may have a channel that is off by more than this many levels. */
const LEVELS = 8, TOLERANCE = 0.001;

const [driver = "auto", ...asked] = Deno.args;
const versions = asked.length > 0 ? asked : Object.keys(PAINTERS), golden = decode(Deno.readFileSync(GOLDEN));
for (const version of versions as Version[]) {
  using egl = loadEgl({ driver });
  const { data, drawnBy } = drawPicture(egl, version, [golden.width, golden.height]);
  const { off, most } = apart(data, golden.data), isSame = off <= TOLERANCE;
  if (!isSame) Deno.exitCode = 1;
  console.log(
    `${isSame ? "same" : "DIFFERENT"} ${version}: ${(100 * off).toFixed(3)} % off, at most ${most}; ${drawnBy}`,
  );
}

function apart(one: Uint8Array, other: Uint8Array): { off: number; most: number } {
  let off = 0, most = 0;
  for (let at = 0; at < one.length; at += 4) {
    const far = Math.max(...[0, 1, 2, 3].map((channel) => Math.abs(one[at + channel] - other[at + channel])));
    if (far > LEVELS) off++;
    if (far > most) most = far;
  }
  return { off: 4 * off / one.length, most };
}

/** Reads a PNG of 8-bit RGBA whose rows are not filtered, as the example writes them. */
function decode(file: Uint8Array): { width: number; height: number; data: Uint8Array } {
  const view = new DataView(file.buffer, file.byteOffset, file.byteLength), packed: Uint8Array[] = [];
  const width = view.getUint32(16), height = view.getUint32(20);
  for (let at = 8; at < file.length; at += 12 + view.getUint32(at)) {
    const type = String.fromCharCode(...file.subarray(at + 4, at + 8));
    if (type === "IDAT") packed.push(file.subarray(at + 8, at + 8 + view.getUint32(at)));
  }
  const rows = inflateSync(Uint8Array.from(packed.flatMap((each) => [...each]))),
    data = new Uint8Array(4 * width * height);
  for (let y = 0; y < height; y++) {
    const from = y * (4 * width + 1);
    if (rows[from] !== 0) throw new Error(`row ${y} has filter ${rows[from]}: write the file with examples/gles.ts`);
    data.set(rows.subarray(from + 1, from + 1 + 4 * width), 4 * width * y);
  }
  return { width, height, data };
}
