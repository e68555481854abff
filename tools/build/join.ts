import { dirname, join, relative } from "node:path";
import { runBundler } from "./bundler.ts";
import { groups } from "./groups.ts";

/** A file that entries share, as the bundler names it. */
const CHUNK = /^chunk-\w+\.js$/;
/** An import of another file. The bundler writes all of them at the start of a file. */
const IMPORT = /\s*import (?:\{([^}]*)\} from )?"(\.[^"]+)";/y;
/** An import of a module that is not in the bundle. The bundler leaves it where it was. */
const FROM_OUTSIDE = /^import [^;]*?"([^".][^"]*)";$/gm;
/** Names that a file exports. The bundler writes them at its end. */
const EXPORTS = /\nexport \{([^}]*)\};\s*$/;
/** An import that a file waits for when it is imported: it then does something, such as enabling the assembler. */
const AWAITED = /^\S.*\bawait import\(/m;
/** An import while the program runs. */
const LATER = /\bimport\("(\.[^"]+)"\)/g;

/**
 * Puts files of a bundle together, so that a program reads few of them. The
 * bundler writes a file for each set of modules that need the same code, and
 * counts modules that are imported while a program runs: an entry then consists
 * of dozens of files. `roots` are the files that programs begin with; only files
 * that several modules share are put together.
 */
export async function joined(
  files: ReadonlyMap<string, string>,
  roots: readonly string[],
): Promise<Map<string, string>> {
  const parts = new Map([...files].map(([path, text]) => [path, partOf(path, text)]));
  const together = groups(parts, roots, (path) => CHUNK.test(path)).filter(({ length }) => length > 1);
  const homes = new Map(together.flatMap((paths, index) => homesOf(paths.map((path) => parts.get(path)!), index)));
  const texts = new Map([...files].map(([path, text]) => [path, withHomes(text, parts.get(path)!, homes)]));
  const shared = await bundled(texts, homes, together);
  return new Map([...[...texts].filter(([path]) => !homes.has(path)), ...shared]);
}

/** The place of a chunk after the joining. */
interface Home {
  /** The file, below the bundle's folder. */
  readonly file: string;
  /** The chunk's exports, and their names there: chunks may share names. */
  readonly names: ReadonlyMap<string, string>;
}

/** The homes of a group's chunks. */
function homesOf(chunks: readonly Part[], group: number): [string, Home][] {
  const taken = new Set<string>(), file = `shared-${group}.js`;
  return chunks.map(({ path, exports }, index) => {
    const names = new Map(exports.map((name) => [name, taken.has(name) ? `${name}$${index}` : name]));
    for (const name of exports) taken.add(name);
    return [path, { file, names }];
  });
}

/** A file of a bundle, and how it depends on the others. */
interface Part {
  readonly path: string;
  readonly size: number;
  /** The files that run before this one. */
  readonly imports: readonly string[];
  /** Files that this one may import while it runs. */
  readonly later: readonly string[];
  /** Whether the file does something when it is imported. */
  readonly isActive: boolean;
  /** Import statements: their places in the text, and what they import. */
  readonly statements: readonly Statement[];
  readonly exports: readonly string[];
}

interface Statement {
  readonly start: number;
  readonly end: number;
  /** The imported file, below the bundle's folder. */
  readonly path: string;
  /** `NAME` or `NAME as OWN`. */
  readonly names: readonly string[];
}

function partOf(path: string, text: string): Part {
  const statements: Statement[] = [], folder = dirname(path);
  IMPORT.lastIndex = 0;
  for (let found = IMPORT.exec(text); found; found = IMPORT.exec(text)) {
    const [, names = "", from] = found;
    statements.push({ start: found.index, end: IMPORT.lastIndex, path: join(folder, from), names: listed(names) });
  }
  return {
    path,
    size: text.length,
    imports: [...statements.map(({ path }) => path), ...[...text.matchAll(FROM_OUTSIDE)].map(([, name]) => name)],
    later: [...text.matchAll(LATER)].map(([, from]) => join(folder, from)),
    isActive: AWAITED.test(text),
    statements,
    exports: listed(EXPORTS.exec(text)?.[1] ?? "").map((name) => name.split(" as ").at(-1)!),
  };
}

function listed(names: string): string[] {
  return names.split(",").map((name) => name.trim()).filter((name) => name !== "");
}

/** A file's text that imports from where things are now. Files of one group go on importing each other. */
function withHomes(text: string, { path, statements }: Part, homes: ReadonlyMap<string, Home>): string {
  let written = "", at = 0;
  for (const { start, end, path: from, names } of statements) {
    const home = homes.get(from);
    if (!home || home.file === homes.get(path)?.file) continue;
    const list = names.map((name) => name.split(" as ")).map(([name, own = name]) =>
      renamed(home.names.get(name)!, own)
    );
    const place = relative(dirname(path), home.file), address = place.startsWith(".") ? place : `./${place}`;
    written += `${text.slice(at, start)}\nimport ${list.length > 0 ? `{ ${list.join(", ")} } from ` : ""}"${address}";`;
    at = end;
  }
  return written + text.slice(at);
}

function renamed(name: string, other: string): string {
  return name === other ? name : `${name} as ${other}`;
}

/** Bundles each group into one file, which imports all that is not of the group. */
async function bundled(
  texts: ReadonlyMap<string, string>,
  homes: ReadonlyMap<string, Home>,
  together: readonly (readonly string[])[],
): Promise<[string, string][]> {
  const folder = await Deno.makeTempDir({ prefix: "pumice-join-" });
  try {
    for (const path of homes.keys()) await Deno.writeTextFile(`${folder}/${path}`, texts.get(path)!);
    const entries = together.map((_, group) => `group-${group}.js`);
    for (const [group, paths] of together.entries()) {
      const lines = paths.map((path) => exported(path, homes.get(path)!));
      await Deno.writeTextFile(`${folder}/${entries[group]}`, lines.join(""));
    }
    const outside = [...texts.keys()].filter((path) => !homes.has(path));
    const others = new Set([...outside, ...homes.values().map(({ file }) => file)]);
    const external = [...others].map((path) => `--external=./${path}`);
    await runBundler(folder, ["--no-config", ...external, "--outdir=out", ...entries]);
    return entries.map((entry, group) => [
      homes.get(together[group][0])!.file,
      Deno.readTextFileSync(`${folder}/out/${entry}`),
    ]);
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
}

function exported(path: string, { names }: Home): string {
  return `export { ${[...names].map(([name, there]) => renamed(name, there)).join(", ")} } from "./${path}";\n`;
}
