import { after, brackets, type Node } from "./node.ts";

/** Whole numbers from here on are written with hexadecimal digits. */
const LARGE = 0x1_0000;
/** The largest and the smallest power of ten of a float that looks like one, not like a whole number in disguise. */
const FLOAT_LIKE = [1e-6, 1e6] as const;
/** From so many bytes on, data are written as text. */
export const LONG = 2048;
/** Characters of such text in a line. */
const TEXT_LINE = 108;

/** Writes a whole number. */
export function wholeText(value: number | bigint): string {
  const suffix = typeof value === "bigint" ? "n" : "";
  return (value >= LARGE ? `0x${value.toString(16)}` : `${value}`) + suffix;
}

/** Writes a float with as few digits as name the same 32 bits. */
export function floatText(value: number): string {
  if (Object.is(value, -0)) return "-0";
  if (!Number.isFinite(value) || Math.fround(value) !== value) return `${value}`;
  for (let digits = 1; digits < 9; digits++) {
    const short = Number(value.toPrecision(digits));
    if (Math.fround(short) === value) return `${short}`;
  }
  return `${value}`;
}

/** A float as JavaScript reads it from an array: all its digits. */
export function exactText(value: number): string {
  return Number(floatText(value)) === value ? floatText(value) : `${value}`;
}

/** Returns the 32-bit words of bytes, which are a multiple of four. */
export function wordsIn(bytes: Uint8Array): Uint32Array {
  return new Uint32Array(bytes.slice().buffer);
}

/** Whether words are rather floats than whole numbers: each is zero, or of a size that people write. */
export function areFloats(words: Uint32Array): boolean {
  const floats = new Float32Array(words.buffer, words.byteOffset, words.length), [least, most] = FLOAT_LIKE;
  const isFloat = (value: number) => value === 0 || Math.abs(value) >= least && Math.abs(value) <= most;
  return words.some((word) => word >= LARGE) &&
    floats.every((value, index) => isFloat(value) && words[index] !== 0x8000_0000);
}

/** Writes words as a list of whole numbers, or of floats. */
export function wordList(words: Uint32Array): { isFloat: boolean; list: Node } {
  const isFloat = areFloats(words), floats = new Float32Array(words.buffer, words.byteOffset, words.length);
  const texts = isFloat ? [...floats].map(floatText) : [...words].map(wholeText);
  return { isFloat, list: brackets(texts, true) };
}

/** Writes bytes as a typed array. */
export function bytesNode(bytes: Uint8Array): Node {
  if (bytes.length >= LONG) return textBytes(bytes);
  if (bytes.length % 4 !== 0) return after("new Uint8Array(", closed(brackets([...bytes].map(wholeText), true)));
  const { isFloat, list } = wordList(wordsIn(bytes));
  return after(isFloat ? "new Float32Array(" : "new Uint32Array(", closed(list));
}

function closed(node: Node): Node {
  return typeof node === "string" ? `${node})` : { ...node, close: `${node.close})` };
}

/** Writes many bytes as text. */
export function textBytes(bytes: Uint8Array): Node {
  const text = bytes.toBase64(), lines: string[] = [];
  for (let at = 0; at < text.length; at += TEXT_LINE) lines.push(JSON.stringify(text.slice(at, at + TEXT_LINE)));
  if (lines.length <= 1) return `Uint8Array.fromBase64(${lines[0] ?? '""'})`;
  return { open: "Uint8Array.fromBase64([", items: lines, close: '].join(""))' };
}
