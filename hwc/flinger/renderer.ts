import type { CompositionBackend } from "../backends/backend.ts";

/** What composes the layers that the composer does not: a composition backend, or something like it. */
export type Renderer = Pick<CompositionBackend, "name" | "compose" | "forget">;
