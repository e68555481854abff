/**
 * One trace file of everything that happens between a program and a display,
 * for ui.perfetto.dev and Android's tools.
 *
 * The entry is one of its own, so that other scripts do not load the library
 * that writes the file's format.
 *
 * @example The calls of a script as a trace
 * ```ts ignore
 * import { loadVulkan } from "@pumice/gfx";
 * import { perfettoTrace } from "@pumice/gfx/perfetto";
 *
 * using trace = perfettoTrace({ path: "frame.pftrace" });
 * using vulkan = loadVulkan({ layers: [trace.layer] });
 * using _instance = vulkan.vkCreateInstance({});
 * ```
 *
 * @module
 */
export { type PerfettoTrace, perfettoTrace, type PerfettoTraceOptions } from "./perfetto_trace.ts";
