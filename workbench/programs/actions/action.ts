import type { Model } from "../model.ts";

/** The outcome of an action: the kind, and the name of the format that it wrote, or "buffer". */
export interface FuzzAction {
  /** The kind of action. */
  readonly kind: string;
  /** The format that was written. */
  readonly format: string;
}

/** Writes an action; `undefined`, with nothing written but new resources, if these drivers cannot do it. */
export type Action = (model: Model) => FuzzAction | undefined;
