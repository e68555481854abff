import type { FuzzImage } from "../resources.ts";
import type { Paint } from "./paint.ts";

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
  /** Where its samples are resolved to when the pass ends. */
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
  /** How many subpasses it has, all with the same attachments; the last one resolves. */
  readonly subpasses: number;
  /** The objects of a pass that has them, once they are made. */
  objects?: { readonly renderPass: string; readonly framebuffer: string };
}
