import type { Host } from "../../driver/host.ts";
import { formatLogLine, LOG, logMask } from "../../driver/log.ts";
import { type ActiveLayer, ENABLED_BY } from "./choose.ts";
import type { ManifestLayer } from "./manifest.ts";
import type { NativeLayer } from "./library.ts";

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

/** What was made through layers: an instance, above the drivers, or a device. */
export type Made = "instance" | "device";

/** What calls for it, and what is at the bottom. */
const ENDS = { instance: ["vkCreateInstance", "<Drivers>"], device: ["vkCreateDevice", "<Device>"] } as const;

/**
 * Writes to standard error which layers an instance or device was made with,
 * top to bottom, as the Khronos loader does, if VK_LOADER_DEBUG or `more` bits
 * ask for messages about layers.
 */
export function logCallstack(made: Made, layers: readonly ShownLayer[], host: Host, more: number): void {
  const mask = logMask(host) | more,
    write = (bits: number, line: string) => {
      if (bits & mask) host.writeError(formatLogLine(bits, line));
    };
  if (made === "device") {
    layers.forEach(({ name, path }) => write(LOG.info | LOG.layer, `Inserted device layer "${name}" (${path})`));
  }
  for (const line of callstack(made, layers)) write(LOG.layer, line);
}

/** The lines, without what stands at the beginning of each. */
export function callstack(made: Made, layers: readonly ShownLayer[]): string[] {
  const [command, bottom] = ENDS[made];
  return [
    `${command} layer callstack setup to:`,
    "   <Application>",
    "     ||",
    "   <Loader>",
    "     ||",
    ...layers.flatMap(linesOf),
    `   ${bottom}`,
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
