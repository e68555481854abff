import { list, number, object, oneOf, type OptionRules, yesOrNo } from "../../ffi/check_options.ts";
import type { GraphicBuffer } from "../../wsi/buffer/graphic_buffer.ts";
import type { Color, Rect } from "../types.ts";
import type { ComposeLayer } from "./compose_layer.ts";

/**
 * The arithmetic of a composition.
 *
 * - `p`: integers of eight bits, as CPUs and GPUs do them quickly; every
 *   backend gives the same pixels. See `docs/composition.md`.
 * - `round-once`: double precision for the whole stack, rounded when stored.
 * - `hwc2trunc`: the reference of Android's old raw-interface suite, which
 *   truncates twice a layer and samples pixels' corners.
 */
export type CompositionRule = "p" | "round-once" | "hwc2trunc";

/** How a frame is composed. */
export interface ComposeOptions {
  /** The parts of the target that are drawn; the rest stays. Default: all of it. The pixels are those of a full composition. */
  readonly damage?: readonly Rect[];
  /** The arithmetic. Default `"p"`. */
  readonly rule?: CompositionRule;
  /** The dataspace of the target. Default 0: pixels pass through, no colour management. */
  readonly dataspace?: number;
  /** Whether nobody can read the target, so that protected layers may be drawn into it. Default: if its usage has PROTECTED. Elsewhere they are black. */
  readonly isProtected?: boolean;
  /** Whether layers that opaque ones hide are left out. Default `true`; `false` draws them, for nothing but to be measured. */
  readonly cull?: boolean;
  /** What is where no layer is. Default: transparent black. */
  readonly background?: Color;
}

/** Which options of a composition there are, and what fits. */
export const COMPOSE_RULES: OptionRules<ComposeOptions> = {
  damage: list("a list of rectangles", object("a rectangle")),
  rule: oneOf("p", "round-once", "hwc2trunc"),
  dataspace: number,
  isProtected: yesOrNo,
  cull: yesOrNo,
  background: object("a colour"),
};

/** What became of one layer. */
export interface LayerReport {
  /** Its place in the list given. */
  readonly layer: number;
  /** Its name, if it has one. */
  readonly name?: string;
  /** Who drew it; `undefined` if nobody had to. */
  readonly backend: string | undefined;
  /** Pixels drawn. */
  readonly pixels: number;
  /** Why nothing of it was drawn. */
  readonly culled?: string;
}

/** What a composition did. */
export interface CompositionReport {
  /** The backend's name. */
  readonly backend: string;
  /** Pixels drawn, over all layers. */
  readonly pixels: number;
  /** Layers of which nothing was drawn. */
  readonly culled: number;
  /** Milliseconds, until the pixels were there. */
  readonly milliseconds: number;
  /** By layer, in the order given. */
  readonly layers: readonly LayerReport[];
}

/** Draws layers into a buffer. */
export interface CompositionBackend extends Disposable {
  /** Such as `"ts"`. */
  readonly name: string;
  /** Whether it can draw a layer into a target exactly; if not, a sentence that says why not. */
  can(layer: ComposeLayer, target: GraphicBuffer, options?: ComposeOptions): true | string;
  /**
   * Draws the layers, lowest z first. When it returns, the pixels are there.
   * Fences are the caller's: all buffers must be ready. Throws a
   * `CompositionError`: `cannot-compose` for a layer that it
   * {@linkcode CompositionBackend.can}not draw, `bad-target`, `bad-layer`.
   */
  compose(target: GraphicBuffer, layers: readonly ComposeLayer[], options?: ComposeOptions): CompositionReport;
  /**
   * Lets go of what it keeps about a buffer that will not be drawn again. Those
   * that were not drawn for a while are let go anyway.
   */
  forget(buffer: GraphicBuffer): void;
  /** Gives back what it holds. A second call does nothing. */
  close(): void;
}
