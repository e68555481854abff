import type { Group } from "../lists.ts";
import { type Registry, resolveType } from "../registry/model.ts";

/** The types module that exports a type; `undefined` for types written out in place. */
export function homeOf(registry: Registry, name: string): Group | undefined {
  const type = resolveType(registry.types, name);
  const isNamed = type?.kind === "enum" || type?.kind === "flags" || type?.kind === "handle" || type?.kind === "struct";
  return isNamed ? registry.types.get(name)?.group ?? "core" : undefined;
}

/** Collects the types that a generated module mentions and writes its import statements. */
export class Imports {
  readonly #names = new Map<string, Set<string>>();

  /** Notes that `module` must give `name`. */
  add(module: string, name: string): void {
    const names = this.#names.get(module);
    if (names) names.add(name);
    else this.#names.set(module, new Set([name]));
  }

  /** The import statements, sorted; nothing is imported from `self`. */
  print(self = ""): string {
    return [...this.#names].filter(([module]) => module !== self).sort(([a], [b]) => a < b ? -1 : 1)
      .map(([module, names]) => `import type {\n${[...names].sort().join(",\n")},\n} from "${module}";\n`).join("");
  }
}

/** The module that a group's types are written to, as its neighbours import it. */
export function typesModule(group: Group): string {
  return `./types_${group}_gen.ts`;
}
