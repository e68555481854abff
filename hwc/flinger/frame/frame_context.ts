import type { CompositionBackend } from "../../backends/backend.ts";
import type { AsyncComposer } from "../../composer.ts";
import type { FlingerLayer } from "../layers/flinger_layer.ts";

/** Composes the layers that the composer leaves to its client; a composition backend is a `Renderer`. */
export type Renderer = Pick<CompositionBackend, "name" | "compose" | "forget">;

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
