import { resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { flagsByConfigOf } from "../../workbench/process/own_flags.ts";
import type { Process, Request } from "../command.ts";
import { isModule } from "../layers/presets.ts";

/**
 * Carries out a command by the configuration that lies beside a file: the
 * command's script, otherwise the first layer that is a module. An installed
 * command line has a configuration of its own, by which the file's imports would
 * not be found: it is started anew then.
 */
export async function byOwnConfig(
  { options: { layers = [] } }: Request,
  { restart }: Process,
  run: () => Promise<number>,
  script?: string,
): Promise<number> {
  const file = script ?? (layers as string[]).find(isModule);
  const flags = restart && file !== undefined && flagsByConfigOf(pathToFileURL(resolve(file)).href);
  return flags ? await restart!(flags) : await run();
}
