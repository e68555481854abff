/**
 * One trace file of everything that happens between a program and a display,
 * for ui.perfetto.dev and Android's tools.
 *
 * The entry is one of its own, so that other scripts do not load the library
 * that writes the file's format.
 *
 * @module
 */
export { type PerfettoTrace, perfettoTrace, type PerfettoTraceOptions } from "./hwc/perfetto/perfetto_trace.ts";
