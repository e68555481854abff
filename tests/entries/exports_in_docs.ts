import { allDocs, type DocDeclaration } from "./docs.ts";

/** The facts about an exported name. */
export interface Exported {
  /** The entries that export the name. */
  readonly entries: Set<string>;
  /** The files that declare what has the name. */
  readonly files: Set<string>;
  /** The properties of an interface. */
  readonly members: readonly string[];
  /** The type that a function returns. */
  readonly makes?: string;
  /** The type of a function's last parameter, where a name says it: the options. */
  readonly takes?: string;
}

interface DocType {
  readonly repr?: string;
}

interface Declaration extends DocDeclaration {
  readonly def?: {
    /** The declaration of a name that another entry exports, too. */
    readonly target?: { readonly filename: string };
    readonly properties?: readonly { readonly name: string }[];
    readonly params?: readonly { readonly tsType?: DocType; readonly left?: { readonly tsType?: DocType } }[];
    readonly returnType?: DocType;
  };
}

/** Every name that an entry of the package exports: constants of the APIs, which have their C names, left out. */
export async function exportsInDocs(): Promise<ReadonlyMap<string, Exported>> {
  const found = new Map<string, Exported>();
  for (const [entry, symbols] of Object.entries(await allDocs())) {
    for (const { name, declarations } of symbols) {
      if (/^(VK|EGL|GL)_/.test(name)) continue;
      found.set(name, merged(found.get(name), entry, declarations as readonly Declaration[]));
    }
  }
  return found;
}

function merged(known: Exported | undefined, entry: string, declarations: readonly Declaration[]): Exported {
  const { entries, files } = known ?? { entries: new Set<string>(), files: new Set<string>() };
  entries.add(entry);
  for (const { def, location } of declarations) {
    const file = def?.target ?? location;
    if (file) files.add(file.filename);
  }
  if (declarations.every(({ def }) => def?.target)) return known ?? { entries, files, members: [] };
  const defs = declarations.map(({ def }) => def), last = defs.flatMap((def) => def?.params ?? []).at(-1);
  return {
    entries,
    files,
    members: defs.flatMap((def) => def?.properties ?? []).map(({ name }) => name),
    makes: defs.find((def) => def?.returnType)?.returnType?.repr,
    takes: last && (last.left?.tsType ?? last.tsType)?.repr,
  };
}
