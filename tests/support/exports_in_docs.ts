import config from "../../deno.json" with { type: "json" };

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

interface DocDeclaration {
  readonly kind: string;
  readonly location?: { readonly filename: string };
  readonly def?: {
    /** The declaration of a name that another entry exports, too. */
    readonly target?: { readonly filename: string };
    readonly properties?: readonly { readonly name: string }[];
    readonly params?: readonly { readonly tsType?: DocType; readonly left?: { readonly tsType?: DocType } }[];
    readonly returnType?: DocType;
  };
}

interface Docs {
  readonly nodes: Readonly<
    Record<string, {
      readonly symbols: readonly { readonly name: string; readonly declarations: readonly DocDeclaration[] }[];
    }>
  >;
}

/** Every name that an entry of the package exports: constants of the APIs, which have their C names, left out. */
export async function exportsInDocs(): Promise<ReadonlyMap<string, Exported>> {
  const root = new URL("../../", import.meta.url), entries = Object.entries(config.exports);
  const args = ["doc", "--json", "--quiet", ...entries.map(([, path]) => path)];
  const { success, stdout, stderr } = await new Deno.Command(Deno.execPath(), { args, cwd: root }).output();
  if (!success) throw new Error(new TextDecoder().decode(stderr));
  const { nodes } = JSON.parse(new TextDecoder().decode(stdout)) as Docs, found = new Map<string, Exported>();
  for (const [entry, path] of entries) {
    for (const { name, declarations } of nodes[new URL(path, root).href].symbols) {
      if (!/^(VK|EGL|GL)_/.test(name)) found.set(name, merged(found.get(name), entry, declarations));
    }
  }
  return found;
}

function merged(known: Exported | undefined, entry: string, declarations: readonly DocDeclaration[]): Exported {
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
