import type { Format } from "../../../../loader/texels/format.ts";
import { isIn } from "../tolerances/boxes.ts";
import { unitOf } from "../tolerances/permitted_difference.ts";
import { type ByteDifference, byteDifference, type TexelDifference, texelDifference } from "./difference.ts";
import type { LoosePart } from "../tolerances/permitted_differences.ts";
import { type ComparedPiece, formatOfPiece, layerSize } from "./piece.ts";
import { exactRule, type FormatTolerance, isEqual, type Rule, ruleOf, stepRule } from "./tolerance.ts";

/** The differences that are allowed between two contents. */
export interface Allowance {
  /** Steps by which formats may differ. */
  readonly steps: FormatTolerance;
  /** The share of the texels of a level that may differ, among those that were computed. */
  readonly share: number;
  /** The parts in which drivers have permitted difference. */
  readonly loose: readonly LoosePart[];
}

/** A difference in a buffer or in an image. */
export type ContentsDifference = { readonly bytes: ByteDifference } | { readonly texels: TexelDifference };

/** Compares two contents of a piece. Returns `undefined` if they differ by no more than drivers may. */
export function judged(
  piece: ComparedPiece,
  one: Uint8Array,
  other: Uint8Array,
  allowance: Allowance,
): ContentsDifference | undefined {
  const format = formatOfPiece(piece);
  if (!format) return judgedBytes(one, other, allowance);
  const rules = new PieceRules(piece, format, allowance);
  const texels = texelDifference(format, one, other, (index) => rules.at(index));
  if (!texels || !rules.isStrict && texels.texels <= allowance.share * one.length / format.blockSize) return undefined;
  return { texels };
}

/** The rules of the texels of a piece of an image. */
class PieceRules {
  /** Whether a texel that was only copied has differed. */
  isStrict = false;
  readonly #exact: Rule;
  readonly #parts: readonly (LoosePart & { readonly rule: Rule })[];
  readonly #across: number;
  readonly #inSlice: number;
  readonly #inLayer: number;
  readonly #samples: number;

  constructor(piece: ComparedPiece, format: Format, { loose, steps }: Allowance) {
    const { width, height, samples, format: value } = piece.image!, { blockSize, blockExtent } = format;
    this.#across = Math.ceil(width / blockExtent[0]);
    this.#inSlice = this.#across * Math.ceil(height / blockExtent[1]);
    this.#inLayer = layerSize(piece) / blockSize;
    this.#samples = samples;
    this.#parts = loose.map((part) => ({ ...part, rule: ruleOf(part.permitted, blockSize, steps) }));
    // Several samples are read by a shader, which computes their numbers.
    this.#exact = samples > 1 ? stepRule(format, steps[value]) : this.#strictly(exactRule(format));
  }

  #strictly(rule: Rule): Rule {
    return (...contents) => {
      const apart = rule(...contents);
      this.isStrict ||= apart > 0;
      return apart;
    };
  }

  /** Returns the rule of a texel or block. */
  at(index: number): Rule {
    const layer = Math.floor(index / this.#inLayer / this.#samples), inLayer = index % this.#inLayer;
    const z = Math.floor(inLayer / this.#inSlice), inSlice = inLayer % this.#inSlice;
    const place = [inSlice % this.#across, Math.floor(inSlice / this.#across), z] as const;
    return this.#parts.findLast((part) => part.layer === layer && isIn(place, part))?.rule ?? this.#exact;
  }
}

/** Bytes are the same but for parts with permitted difference, which are compared unit by unit. */
function judgedBytes(one: Uint8Array, other: Uint8Array, { loose, steps, share }: Allowance) {
  if (loose.length === 0) return wholly(byteDifference(one, other));
  const strict = [one, other].map((bytes) => bytes.slice()), found: ByteDifference[] = [];
  for (const part of loose) {
    const apart = apartIn(part, one, other, ruleOf(part.permitted, unitOf(part.permitted), steps), share);
    if (apart) found.push(apart);
    const [from, to] = [part.from[0], part.to[0]];
    for (const bytes of strict) bytes.fill(0, from, to);
  }
  const rest = byteDifference(strict[0], strict[1]), all = rest ? [...found, rest] : found;
  if (all.length === 0) return undefined;
  const bytes = all.reduce((sum, each) => sum + each.bytes, 0);
  return wholly({ bytes, first: Math.min(...all.map(({ first }) => first)) });
}

function wholly(bytes: ByteDifference | undefined): ContentsDifference | undefined {
  return bytes && { bytes };
}

/** Finds differences in whole units of a part of a buffer. What is left of a unit that was overwritten is left out. */
function apartIn(
  { from, to, phase, permitted }: LoosePart,
  one: Uint8Array,
  other: Uint8Array,
  rule: Rule,
  share: number,
) {
  const unit = unitOf(permitted), start = phase + Math.ceil((from[0] - phase) / unit) * unit;
  const end = Math.min(to[0], one.length, other.length);
  let units = 0, first = -1;
  for (let at = start; at + unit <= end; at += unit) {
    if (isEqual(one, other, at, unit) || rule(one, other, at) === 0) continue;
    if (units++ === 0) first = at;
  }
  const allowed = permitted.is === "texels" && !permitted.exact ? share * (end - start) / unit : 0;
  return units > allowed ? { bytes: units * unit, first } : undefined;
}
