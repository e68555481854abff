/**
 * Finds the modules that a module brings with it: those that are loaded and run when it is imported. Imports of types
 * count nothing, and neither do modules that are imported while the program runs.
 *
 * @module
 */

import { walk } from "../../tools/walk.ts";

const ROOT = new URL("../../", import.meta.url).href;

interface Module {
  readonly specifier: string;
  readonly dependencies?: readonly Dependency[];
}

interface Dependency {
  readonly isDynamic?: boolean;
  readonly code?: { readonly specifier?: string };
}

/** The modules that importing one brings, itself among them: paths below the project's root. */
export function modulesOf(entry: string): ReadonlySet<string> {
  return new Set(importsFrom(entry).keys());
}

/** Returns the imports of each module that importing one brings, likewise. */
export function importsFrom(entry: string): ReadonlyMap<string, readonly string[]> {
  const args = ["info", "--json", `--import-map=${new URL("tools/offline_import_map.json", ROOT).pathname}`, entry];
  const { stdout } = new Deno.Command(Deno.execPath(), { args, cwd: new URL(ROOT) }).outputSync();
  const { modules } = JSON.parse(new TextDecoder().decode(stdout)) as { modules: Module[] };
  const bySpecifier = new Map(modules.map((module) => [module.specifier, module]));
  const found = new Map<string, readonly string[]>(), ahead = [new URL(entry, ROOT).href];
  for (const specifier of ahead) {
    if (found.has(pathOf(specifier))) continue;
    const imported = (bySpecifier.get(specifier)?.dependencies ?? [])
      .flatMap(({ isDynamic, code }) => !isDynamic && code?.specifier ? [code.specifier] : []);
    found.set(pathOf(specifier), imported.map(pathOf));
    ahead.push(...imported);
  }
  return found;
}

/**
 * Returns the imports of each file of some folders from the others, types included: paths below the project's root.
 * Generated files, whose types name each other as the registries do, are left out.
 */
export function declaredImports(folders: readonly string[]): ReadonlyMap<string, readonly string[]> {
  const found = new Map<string, readonly string[]>(), root = new URL(ROOT).pathname;
  for (const path of folders.flatMap((folder) => [...walk(root + folder)])) {
    if (!path.endsWith(".ts") || path.includes("/gen/")) continue;
    const text = Deno.readTextFileSync(path);
    const specifiers = [...text.matchAll(/^(?:import|export) (?:[^"]*? from )?"(\.[^"]+)"/gm)].map(([, name]) => name);
    found.set(pathOf(`file://${path}`), specifiers.map((name) => pathOf(new URL(name, `file://${path}`).href)));
  }
  return found;
}

function pathOf(specifier: string): string {
  return specifier.replace(ROOT, "");
}
