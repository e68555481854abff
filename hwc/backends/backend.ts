import { list, number, object, oneOf, type OptionRules, yesOrNo } from "../../ffi/check_options.ts";
import { GraphicsError } from "../../ffi/error.ts";
import type { GraphicBuffer } from "../../wsi/buffer/graphic_buffer.ts";
import type { Color, Rect } from "../types.ts";
import type { ComposeLayer } from "./compose_layer.ts";

/**
 * The arithmetic of a composition.
 *
 * - `p`: integers of eight bits, as CPUs and GPUs do them quickly; every
 *   backend gives the same pixels. See `docs/internals/composition.md`.
 * - `round-once`: double precision for the whole stack, rounded when stored.
 * - `hwc2trunc`: the reference of Android's old raw-interface suite, which
 *   truncates twice a layer and samples pixels' corners.
 */
export type CompositionRule = "p" | "round-once" | "hwc2trunc";

/** Options for composing a frame. */
export interface ComposeOptions {
  /**
   * The parts of the target that are drawn; the rest of the target does not change. Default: the whole target. The
   * drawn pixels equal those of a full composition.
   */
  readonly damage?: readonly Rect[];
  /** The arithmetic. Default `"p"`. */
  readonly rule?: CompositionRule;
  /** The dataspace of the target. Default `DATASPACE.UNKNOWN`: pixels pass through, no colour management. */
  readonly dataspace?: number;
  /**
   * Whether nobody can read the target, so that protected layers may be drawn. In other targets protected layers are
   * black. Default: whether the target's usage has PROTECTED.
   */
  readonly isProtected?: boolean;
  /** Whether layers behind opaque layers are left out. Default `true`; `false` draws every layer, for measurements. */
  readonly cull?: boolean;
  /** The pixel where there is no layer. Default: transparent black. */
  readonly background?: Color;
}

/** The options of a composition, with the values that fit. */
export const COMPOSE_RULES: OptionRules<ComposeOptions> = {
  damage: list("a list of rectangles", object("a rectangle")),
  rule: oneOf("p", "round-once", "hwc2trunc"),
  dataspace: number,
  isProtected: yesOrNo,
  cull: yesOrNo,
  background: object("a colour"),
};

/** The work of a composition on one layer. */
export interface LayerReport {
  /** The layer's index in the given list. */
  readonly layer: number;
  /** The layer's name, if the layer has one. */
  readonly name?: string;
  /** The backend that drew the layer; `undefined` if the layer was not drawn. */
  readonly backend: string | undefined;
  /** Number of pixels drawn. */
  readonly pixels: number;
  /** The reason why no part of the layer was drawn. */
  readonly culled?: string;
}

/** The work of a composition. */
export interface CompositionReport {
  /** The backend's name. */
  readonly backend: string;
  /** Number of pixels drawn, over all layers. */
  readonly pixels: number;
  /** Number of layers of which no part was drawn. */
  readonly culled: number;
  /** Milliseconds until the pixels were complete. */
  readonly milliseconds: number;
  /** One report for each layer, in the given order. */
  readonly layers: readonly LayerReport[];
}

/** Draws layers into a buffer. */
export interface CompositionBackend extends Disposable {
  /** The backend's name, such as `"ts"`. */
  readonly name: string;
  /**
   * Returns `true` if the backend can draw the layer into the target exactly, or a sentence that gives the reason
   * against.
   */
  can(layer: ComposeLayer, target: GraphicBuffer, options?: ComposeOptions): true | string;
  /**
   * Draws the layers, lowest z first. The pixels are complete when the function returns. The caller handles fences: all
   * buffers must be ready. Throws a `CompositionError`: `cannot-compose` for a layer for which
   * {@linkcode CompositionBackend.can} is not `true`, `bad-target`, `bad-layer`.
   */
  compose(target: GraphicBuffer, layers: readonly ComposeLayer[], options?: ComposeOptions): CompositionReport;
  /**
   * Frees everything that the backend keeps for a buffer that will not be drawn again. The backend also frees this for
   * buffers that have not been drawn for a while.
   */
  forget(buffer: GraphicBuffer): void;
  /** Frees the backend's resources. A second call does nothing. */
  close(): void;
}

/** The kind of a composition's failure. */
export type CompositionErrorCode =
  | "cannot-compose"
  | "bad-target"
  | "bad-layer"
  | "missing-library"
  | "closed"
  | "device";

/** A composition that failed. Either nothing was drawn, or the device was lost. */
export class CompositionError extends GraphicsError<CompositionErrorCode> {
  /** Always "CompositionError". */
  override readonly name = "CompositionError";

  /** Takes the code and a sentence that says what was found and what to do. */
  constructor(code: CompositionErrorCode, sentence: string, options?: ErrorOptions) {
    super({ ...options, code, sentence });
  }
}
