/**
 * Finds the modules that a module brings with it: those that are loaded and run when it is imported. Imports of types
 * count nothing, and neither do modules that are imported while the program runs.
 *
 * @module
 */

import config from "../../deno.json" with { type: "json" };
import { walk } from "../../tools/walk.ts";
import { withFolder } from "./temporary.ts";

const ROOT = new URL("../../", import.meta.url).href;

interface Module {
  readonly specifier: string;
  readonly dependencies?: readonly Dependency[];
}

interface Dependency {
  readonly isDynamic?: boolean;
  readonly code?: { readonly specifier?: string };
}

/** The modules that Deno was asked for, by their addresses. */
const known = new Map<string, Module>();

/** Asks Deno, once for several entries, for their modules. */
function learn(entries: readonly string[]): void {
  withFolder((folder) => {
    const all = `${folder}/all.ts`, map = new URL("tools/offline_import_map.json", ROOT).pathname;
    Deno.writeTextFileSync(all, entries.map((entry) => `import "${new URL(entry, ROOT).href}";\n`).join(""));
    const args = ["info", "--json", `--import-map=${map}`, all];
    const { stdout } = new Deno.Command(Deno.execPath(), { args, cwd: new URL(ROOT) }).outputSync();
    const { modules } = JSON.parse(new TextDecoder().decode(stdout)) as { modules: Module[] };
    for (const module of modules) known.set(module.specifier, module);
  });
}

/** The modules that importing one brings, itself among them: paths below the project's root. */
export function modulesOf(entry: string): ReadonlySet<string> {
  const { href } = new URL(entry, ROOT), entries = Object.values(config.exports);
  if (!known.has(href)) learn(entries.includes(`./${entry}`) ? entries : [entry]);
  const found = new Set([href]);
  for (const specifier of found) { // a set that grows is walked to its end
    for (const { isDynamic, code } of known.get(specifier)?.dependencies ?? []) {
      if (!isDynamic && code?.specifier) found.add(code.specifier);
    }
  }
  return new Set([...found].map(pathOf));
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

/**
 * Returns the files of some folders that each of them imports when it runs, at its
 * start or later: paths below the project's root. `import("PATH" as string)`,
 * which Deno does not follow, is among them; an import of types alone is not.
 */
export function runtimeImports(folders: readonly string[]): ReadonlyMap<string, readonly string[]> {
  const root = new URL(ROOT).pathname;
  const paths = folders.flatMap((folder) => [...walk(root + folder)]).filter((path) => /\.[jt]s$/.test(path));
  return new Map(paths.map((path) => [
    pathOf(`file://${path}`),
    importedWhenRun(Deno.readTextFileSync(path)).map((name) => pathOf(new URL(name, `file://${path}`).href)),
  ]));
}

/** The relative specifiers that a module's text imports when it runs. */
export function importedWhenRun(text: string): string[] {
  const code = text.replace(/^ *\/\*[^]*?\*\//gm, "").replace(/^ *\/\/.*$/gm, "");
  const first = [...code.matchAll(/^(?:import|export) (?!type )([^;"]*? from )?"(\.[^"]+)"/gm)]
    .filter(([, names]) => !namesTypesAlone(names)).map(([, , name]) => name);
  const later = code.matchAll(/(?<!typeof |[:<|&,] ?|\bas )\bimport\(\s*"(\.[^"]+)"/g);
  return [...first, ...[...later].map(([, name]) => name)];
}

/** Whether an import names types and nothing else. */
function namesTypesAlone(names: string | undefined): boolean {
  const inBraces = names?.match(/^\{([^}]*)\} from $/)?.[1].split(",").map((name) => name.trim()).filter(Boolean);
  return inBraces !== undefined && inBraces.length > 0 && inBraces.every((name) => name.startsWith("type "));
}

function pathOf(specifier: string): string {
  return specifier.replace(ROOT, "");
}
