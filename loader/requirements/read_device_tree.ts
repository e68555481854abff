import { makefileClaims, permissionClaims, type TreeClaims } from "./device_tree_claims.ts";

/** Folders that are no part of a tree. */
const PASSED_OVER = new Set([".git", ".repo", "node_modules"]);

/**
 * Reads what a device tree claims of graphics: permissions (`.xml`), makefiles
 * (`.mk`) and properties (`.prop`), in the folder and those below it.
 *
 * @throws {Deno.errors.NotFound} when there is no such folder.
 */
export function readDeviceTree(folder: string): TreeClaims {
  const all = filesBelow(folder, "").sort().map((file) => claimsOf(Deno.readTextFileSync(`${folder}/${file}`), file));
  return {
    features: all.flatMap(({ features }) => features),
    properties: all.flatMap(({ properties }) => properties),
  };
}

function claimsOf(text: string, file: string): TreeClaims {
  if (!file.endsWith(".xml")) return makefileClaims(text, file);
  return { features: permissionClaims(text, file), properties: [] };
}

function filesBelow(folder: string, below: string): string[] {
  const found: string[] = [];
  for (const { name, isDirectory, isFile } of Deno.readDirSync(`${folder}/${below}`)) {
    if (isDirectory && !PASSED_OVER.has(name)) found.push(...filesBelow(folder, `${below}${name}/`));
    if (isFile && /\.(xml|mk|prop)$/.test(name)) found.push(below + name);
  }
  return found;
}
