import type { FuzzImage } from "../resources.ts";
import type { Format } from "../formats.ts";
import { paintFfFrag, paintFuFrag, paintIFrag, paintNoneFrag, paintUFrag } from "../shaders/shaders_gen.ts";
import { paintFFrag } from "../../../wsi/gpu/shaders/shaders_gen.ts";

/** An image that draws write to, and which level and layer of it. */
export interface Attachment {
  /** The image. */
  readonly image: FuzzImage;
  /** The level. */
  readonly mip: number;
  /** The layer. */
  readonly layer: number;
  /** Whether the pass clears it. */
  readonly isCleared: boolean;
  /** The attachment to which its samples are resolved when the pass ends. */
  readonly resolve?: Attachment;
}

/** The common part of all draws of a pass. */
export interface Pass {
  /** The colour attachments. */
  readonly colors: readonly Attachment[];
  /** The attachment for depth, stencil or both. */
  readonly depth: Attachment | undefined;
  /** The fragment shader that fits. */
  readonly paint: Paint;
  /** The size. */
  readonly width: number;
  readonly height: number;
  /** Samples. */
  readonly samples: number;
  /** Whether it is begun without a render pass object. */
  readonly isDynamic: boolean;
  /** The number of subpasses, all with the same attachments; the last one resolves. */
  readonly subpasses: number;
  /** The objects of a pass that has them, once they are made. */
  objects?: { readonly renderPass: string; readonly framebuffer: string };
}

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
