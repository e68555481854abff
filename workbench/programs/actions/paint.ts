import type { Format } from "../formats.ts";
import { paintFfFrag, paintFuFrag, paintIFrag, paintNoneFrag, paintUFrag } from "../shaders/shaders_gen.ts";
import { paintFFrag } from "../../../wsi/gpu/shaders/shaders_gen.ts";

/** A fragment shader, and the formats of the attachments that it paints. */
export interface Paint {
  /** The name. */
  readonly name: string;
  /** SPIR-V. */
  readonly code: () => Uint32Array<ArrayBuffer>;
  /** For each attachment, whether a format suits. */
  readonly suits: readonly ((format: Format) => boolean)[];
}

const REAL = ({ numbers, fields: [bits] }: Format) =>
  /^(unorm|snorm|float|srgb)$/.test(numbers) && bits !== 11 && bits <= 32;
const UNSIGNED = (format: Format) => format.numbers === "uint" && hasRoom(format);
const SIGNED = (format: Format) => format.numbers === "sint" && hasRoom(format);

/** Whether every component holds what shaders paint, as integers of 32 bits. */
function hasRoom({ fields }: Format): boolean {
  return fields.every((bits) => bits >= 8 && bits <= 32);
}

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
