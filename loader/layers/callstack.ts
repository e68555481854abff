import type { Host } from "../driver/host.ts";
import { formatLogLine, LOG, logMask } from "../driver/log.ts";
import { type ActiveLayer, ENABLED_BY } from "./activate.ts";
import type { ManifestLayer } from "./manifest.ts";
import type { NativeLayer } from "./native_layer.ts";

/** A layer as the log shows it: those a script gave may lack a manifest. */
export interface ShownLayer {
  /** Its name. */
  readonly name: string;
  /** Its library. */
  readonly path: string;
  /** What put it there, in words. */
  readonly enabledBy: string;
  /** What its manifest says. */
  readonly manifest?: ManifestLayer;
}

/**
 * Writes to standard error which layers an instance was made with, top to
 * bottom, as the Khronos loader does, if VK_LOADER_DEBUG or `more` bits ask for
 * messages about layers.
 */
export function logCallstack(layers: readonly ShownLayer[], host: Host, more: number): void {
  if (((logMask(host) | more) & LOG.layer) === 0) return;
  for (const line of callstack(layers)) host.writeError(formatLogLine(LOG.layer, line));
}

/** The lines, without what stands at the beginning of each. */
export function callstack(layers: readonly ShownLayer[]): string[] {
  return [
    "vkCreateInstance layer callstack setup to:",
    "   <Application>",
    "     ||",
    "   <Loader>",
    "     ||",
    ...layers.flatMap(linesOf),
    "   <Drivers>",
  ];
}

/** A layer in use, as the log shows it. */
export function shown({ name, path, manifest }: NativeLayer, active: readonly ActiveLayer[]): ShownLayer {
  const by = active.find(({ layer }) => layer === manifest)?.by ?? "option";
  return { name, path, manifest, enabledBy: ENABLED_BY[by] };
}

function linesOf({ name, path, enabledBy, manifest }: ShownLayer): string[] {
  return [
    `   ${name}`,
    `           Type: ${manifest?.isImplicit ? "Implicit" : "Explicit"}`,
    `           Enabled By: ${enabledBy}`,
    ...(manifest?.isImplicit ? [`               Disable Env Var:  ${manifest.disable}`] : []),
    `           Manifest: ${manifest?.manifest ?? ""}`,
    `           Library:  ${path}`,
    "     ||",
  ];
}
