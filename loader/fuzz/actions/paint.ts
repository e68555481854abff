import type { Format } from "../formats.ts";
import { paintFfFrag, paintFFrag, paintFuFrag, paintIFrag, paintNoneFrag, paintUFrag } from "../shaders/shaders_gen.ts";

/** A fragment shader, and the formats of the attachments that it paints. */
export interface Paint {
  /** The name. */
  readonly name: string;
  /** SPIR-V. */
  readonly code: () => Uint32Array<ArrayBuffer>;
  /** For each attachment, whether a format suits. */
  readonly suits: readonly ((format: Format) => boolean)[];
}

const REAL = ({ numbers, fields }: Format) => /^(unorm|snorm|float|srgb)$/.test(numbers) && fields[0] !== 11;
const UNSIGNED = ({ numbers, fields }: Format) => numbers === "uint" && Math.min(...fields) >= 8;
const SIGNED = ({ numbers }: Format) => numbers === "sint";

/** Returns all fragment shaders. */
export function paints(): readonly Paint[] {
  return [
    { name: "paint_f", code: paintFFrag, suits: [REAL] },
    { name: "paint_u", code: paintUFrag, suits: [UNSIGNED] },
    { name: "paint_i", code: paintIFrag, suits: [SIGNED] },
    { name: "paint_ff", code: paintFfFrag, suits: [REAL, REAL] },
    { name: "paint_fu", code: paintFuFrag, suits: [REAL, UNSIGNED] },
    { name: "paint_none", code: paintNoneFrag, suits: [] },
  ];
}
