import type { CompositionBackend } from "../../backends/backend.ts";

/** Composes the layers that the composer leaves to its client; a composition backend is a `Renderer`. */
export type Renderer = Pick<CompositionBackend, "name" | "compose" | "forget">;
