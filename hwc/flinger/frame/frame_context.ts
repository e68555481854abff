import type { AsyncComposer } from "../../composer.ts";
import type { FlingerLayer } from "../layers/flinger_layer.ts";
import type { Renderer } from "../client/renderer.ts";

/** The objects that the steps of a frame use. */
export interface FrameContext {
  /** The composer. */
  readonly composer: AsyncComposer;
  /** Composes what the composer does not. */
  readonly renderer: Renderer;
  /** All layers, in the order of their creation. */
  readonly layers: readonly FlingerLayer[];
  /** Whether nothing is left to the composer. */
  readonly forcesClient: boolean;
  /** Whether a frame may be presented without a validation. */
  readonly skipsValidate: boolean;
  /** Says something to people. */
  log(message: string): void;
}
