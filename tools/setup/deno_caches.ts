import { runQuietly } from "./command.ts";

/**
 * The folders of this machine's Deno whose files are the same on each processor, by their names below `DENO_DIR`:
 * packages, and compiled modules. Its databases are left out, since two kinds of processors do not share a file of code.
 */
export async function portableCaches(): Promise<ReadonlyMap<"npm" | "gen", string>> {
  const { success, output } = await runQuietly(Deno.execPath(), ["info", "--json", "--no-config"]);
  if (!success) return new Map();
  const { npmCache, typescriptCache } = JSON.parse(output);
  return new Map([["npm", npmCache], ["gen", typescriptCache]]);
}
