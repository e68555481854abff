import { type Choices, randomBytes, seededChoices } from "./choices.ts";
import { type Format, hasDepth, isBlock, isPlain } from "./formats.ts";

/** The depths of clears and uploads lie between those of draws, which are whole numbers of this part. */
const DEPTHS = 32;

/** Returns texels, or blocks, of a format. Numbers are neither NaN nor so large that arithmetic overflows. */
export function texelsOf(choices: Choices, format: Format, count: number): Uint8Array<ArrayBuffer> {
  if (isPlain(format) || isBlock(format) || format.numbers === "stencil") {
    return randomBytes(choices, count * format.bytes);
  }
  const source = seededChoices(choices.integer(0, 0xffff_fffe)), bytes = new Uint8Array(count * format.bytes);
  const view = new DataView(bytes.buffer);
  for (let texel = 0; texel < count; texel++) writeTexel(view, texel * format.bytes, format, source);
  return bytes;
}

function writeTexel(view: DataView, at: number, format: Format, source: Choices): void {
  const { numbers, fields: [bits], bytes } = format;
  if (hasDepth(format)) return writeDepth(view, at, bits, source);
  if (numbers === "shared" || bits === 11) return view.setUint32(at, packedFloats(numbers, source), true);
  if (numbers === "snorm" && bits === 10) return view.setUint32(at, packedSigned(format, source), true);
  for (let byte = 0; byte < bytes; byte += bits / 8) {
    if (bits === 8) view.setInt8(at + byte, source.integer(-127, 127));
    else if (numbers === "snorm") view.setInt16(at + byte, source.integer(-32767, 32767), true);
    else if (bits === 16) view.setFloat16(at + byte, source.integer(-128, 128) / 16, true);
    else if (bits === 32) view.setFloat32(at + byte, source.integer(-1024, 1024) / 64, true);
    else view.setFloat64(at + byte, source.integer(-1024, 1024) / 64, true);
  }
}

function writeDepth(view: DataView, at: number, bits: number, source: Choices): void {
  const depth = clearDepth(source);
  if (bits === 16) view.setUint16(at, Math.round(depth * 0xffff), true);
  else if (bits === 24) view.setUint32(at, Math.round(depth * 0xff_ffff), true);
  else view.setFloat32(at, depth, true);
}

/** Exponents near 1, so that no number is infinite; mantissas at random. */
function packedFloats(numbers: string, source: Choices): number {
  if (numbers === "shared") return (source.integer(10, 18) << 27 | source.integer(0, 0x7ff_ffff)) >>> 0;
  const [red, green] = [0, 0].map(() => source.integer(11, 18) << 6 | source.integer(0, 63));
  return (red | green << 11 | (source.integer(11, 18) << 5 | source.integer(0, 31)) << 22) >>> 0;
}

/** The smallest number of each component is left out, which stands for -1 as the next one does. */
function packedSigned({ fields }: Format, source: Choices): number {
  let packed = 0, below = 0;
  for (const bits of fields) {
    const most = 2 ** (bits - 1) - 1, number = source.integer(-most, most);
    packed |= (number & 2 ** bits - 1) << below;
    below += bits;
  }
  return packed >>> 0;
}

/** Returns a depth that no draw has. */
export function clearDepth(choices: Choices): number {
  return (choices.integer(0, DEPTHS - 1) + 0.5) / DEPTHS;
}

/** Returns the depth of a draw by its number; `undefined` when all are used. */
export function drawDepth(draw: number): number | undefined {
  return draw < DEPTHS - 1 ? (1 + draw * 13 % (DEPTHS - 1)) / DEPTHS : undefined;
}

/** Returns a VkClearColorValue that a format holds exactly. */
export function clearColor(choices: Choices, { numbers, fields }: Format): object {
  const four = (min: number, max: number, part = 1) =>
    Array.from({ length: 4 }, () => choices.integer(min, max) / part);
  const bits = Math.min(...fields);
  if (numbers === "uint") return { uint32: four(0, bits === 32 ? 0xffff_ffff : 2 ** bits - 1) };
  if (numbers === "sint") return { int32: four(-(2 ** (bits - 1)), 2 ** (bits - 1) - 1) };
  if (numbers === "snorm") return { float32: four(-1, 1) };
  if (numbers === "float" || numbers === "shared") return { float32: four(0, 31, 16) };
  return { float32: four(0, 1) };
}
