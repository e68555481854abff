import { resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { flagsByConfigOf } from "../../wsi/testing/own_flags.ts";
import type { Process, Request } from "../command.ts";

/**
 * Carries out a command by the configuration that lies beside its script. An
 * installed command line has a configuration of its own, by which the script's
 * imports would not be found: it is started anew then.
 */
export async function byOwnConfig(
  { operand }: Request,
  { restart }: Process,
  run: () => Promise<number>,
): Promise<number> {
  const flags = restart && flagsByConfigOf(pathToFileURL(resolve(operand!)).href);
  return flags ? await restart!(flags) : await run();
}
