import { dirname, join } from "node:path";
import { walk } from "../walk.ts";

/** A module that another finds by its own address: the program of a thread or a process. */
const BY_ADDRESS = /(?:new URL|import\.meta\.resolve)\("(\.[^"]+\.ts)"/g;

/**
 * The modules below folders that no module imports and that threads or
 * processes run, as paths from the root. An entry that is run so is among them.
 */
export function programsBelow(root: string, folders: readonly string[]): string[] {
  const modules = folders.flatMap((folder) => [...walk(`${root}${folder}`)]).filter((path) => path.endsWith(".ts"));
  const found = modules.flatMap((path) =>
    [...codeOf(path).matchAll(BY_ADDRESS)].map(([, address]) => join(dirname(path), address))
  );
  return [...new Set(found)].map((path) => path.slice(root.length));
}

/** The text of a module without the examples of comments, whose files are not there. */
function codeOf(path: string): string {
  return Deno.readTextFileSync(path).replace(/^ *\* .*$/gm, "");
}
