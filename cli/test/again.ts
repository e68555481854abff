import { resolve } from "node:path";
import { isThere } from "../../workbench/process/files.ts";
import { quoted } from "../../workbench/runs/testing/repro.ts";
import type { Request } from "../command.ts";

/** Options that say where a run took place or what is written about it, and are no part of what was tried. */
const LEFT_OUT = new Set([
  "html",
  "queue",
  "for",
  "join",
  "leave",
  "patience",
  "credentials",
  "authority",
  "key",
  "resume",
]);

/** The placeholders of values that may be files. A layer and a driver may be a name, too. */
const PATH = /^(FILE|DIR|FOLDER|PATH|DRIVER|LAYER)$/;

/** The command line of this run, as a shell of any folder takes it. */
export function againLine(
  command: string,
  { operands, options, drivers: driver, values, known = {} }: Request,
): string {
  const { layers: layer, platform, root, systemProperties } = options;
  const common = { driver, layer, platform, root, "system-properties": systemProperties };
  const words = Object.entries({ ...common, ...values }).filter(([name]) => !LEFT_OUT.has(name)).flatMap(
    ([name, value]) => [value].flat().flatMap((each) => wordOf(name, each, PATH.test(known[name]?.value ?? ""))),
  );
  return ["pumice", command, ...operands.map(whole), ...words].map(quoted).join(" ");
}

function wordOf(name: string, value: unknown, isPath: boolean): string[] {
  if (value === undefined || value === false || value === "auto") return [];
  return [value === true ? `--${name}` : `--${name}=${isPath ? whole(`${value}`) : value}`];
}

/** A file that is there, by its whole path: the line may be pasted into a shell that is elsewhere. */
function whole(path: string): string {
  return path !== "" && isThere(path) ? resolve(path) : path;
}
