/**
 * What a module brings with it: the modules that are loaded and run when it is
 * imported. Imports of types count nothing, and neither do modules that are
 * imported while the program runs.
 *
 * @module
 */

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
  const args = ["info", "--json", `--import-map=${new URL("tools/offline_import_map.json", ROOT).pathname}`, entry];
  const { stdout } = new Deno.Command(Deno.execPath(), { args, cwd: new URL(ROOT) }).outputSync();
  const { modules } = JSON.parse(new TextDecoder().decode(stdout)) as { modules: Module[] };
  const bySpecifier = new Map(modules.map((module) => [module.specifier, module]));
  const found = new Set<string>(), ahead = [new URL(entry, ROOT).href];
  for (const specifier of ahead) {
    if (found.has(specifier)) continue;
    found.add(specifier);
    for (const { isDynamic, code } of bySpecifier.get(specifier)?.dependencies ?? []) {
      if (!isDynamic && code?.specifier) ahead.push(code.specifier);
    }
  }
  return new Set([...found].map((specifier) => specifier.replace(ROOT, "")));
}
