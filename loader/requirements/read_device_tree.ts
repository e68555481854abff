import { makefileClaims, permissionClaims, type TreeClaims } from "./device_tree_claims.ts";

/** Folders that do not belong to a tree. */
const PASSED_OVER = new Set([".git", ".repo", "node_modules"]);

/**
 * Reads the claims of a device tree about graphics: permissions (`.xml`),
 * makefiles (`.mk`) and properties (`.prop`), in the folder and its subfolders.
 *
 * @throws {Deno.errors.NotFound} if the folder does not exist.
 *
 * @example
 * ```ts
 * import { readDeviceTree } from "@pumice/gfx/check";
 * import { assertEquals } from "@std/assert";
 *
 * const folder = Deno.makeTempDirSync();
 * Deno.writeTextFileSync(`${folder}/vendor.prop`, "ro.hardware.vulkan=soc\n");
 * assertEquals(readDeviceTree(folder).properties.map(({ name, value }) => [name, value]), [["ro.hardware.vulkan", "soc"]]);
 * Deno.removeSync(folder, { recursive: true });
 * ```
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
