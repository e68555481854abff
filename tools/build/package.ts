import { dirname } from "node:path";
import { walk } from "../walk.ts";
import { bundle, BUNDLED } from "./bundle.ts";
import { compiledAhead } from "./compiled_ahead.ts";
import { declarations, DECLARED } from "./declarations.ts";
import { bundledPath, entryStub, STUBS } from "./entry.ts";
import { joined } from "./join.ts";
import { programsBelow } from "./programs.ts";

/** The written package. */
export interface Written {
  /** Number of files of declarations. */
  readonly declared: number;
  /** Number of files of the bundle. */
  readonly bundled: number;
  /** Bytes of the bundle. */
  readonly bytes: number;
}

/** The parts of `deno.json` that the package needs. */
interface Configuration {
  readonly name: string;
  readonly version: string;
  readonly license: string;
  readonly imports: Readonly<Record<string, string>>;
  readonly compilerOptions: unknown;
  readonly exports: Readonly<Record<string, string>>;
  readonly publish: { readonly include: readonly string[]; readonly exclude?: readonly string[] };
}

/**
 * The paths that the package has as they lie here. Modules are in the bundle, and types in the declarations: both
 * beside their sources would be more than the registry takes. Pictures of pages are a tenth of all bytes, and neither
 * code nor an editor shows one.
 */
const KEPT = /^(?:examples\/.+|docs\/.+(?<!\.(?:png|svg))|[^/]+(?<!\.ts))$/;

/** Whether the package has a published file, by the path from the project's root, as it lies here. */
export function isKept(path: string): boolean {
  return KEPT.test(path);
}

/** Writes the package of the project at `root`, both absolute, into an empty folder; the folder's old contents go. */
export async function writePackage(root: string, out: string): Promise<Written> {
  const { name, version, license, imports, compilerOptions, publish, ...given }: Configuration = JSON.parse(
    await Deno.readTextFile(`${root}deno.json`),
  );
  await Deno.remove(out, { recursive: true }).catch(ignoreMissing);
  const included = publish.include.filter((path) => path !== "deno.json").flatMap((path) => filesBelow(root, path));
  const kept = included.filter(isKept);
  for (const path of kept) await write(`${out}/${path}`, published(path, await Deno.readFile(`${root}${path}`)));
  const entries = Object.entries(given.exports).map(([name, path]) => ({ name, path: path.slice(2) }));
  const stubs = entries.map(({ name, path }) => entryStub(name, path, Deno.readTextFileSync(`${root}${path}`)));
  const programs = programsBelow(root, publish.include.filter((path) => Deno.statSync(`${root}${path}`).isDirectory));
  const places = new Map(programs.map((path) => [path, `${BUNDLED}/${bundledPath(path)}`]));
  entries.forEach(({ path }, index) => places.set(path, stubs[index].path));
  const roots = [...new Set([...entries.map(({ path }) => path), ...programs])];
  const together = await joined(await bundle(root, roots, places), roots.map(bundledPath));
  const bundled = new Map([...together].map(([path, text]) => [path, compiledAhead(text)]));
  const declared = declarations(root, entries.map(({ path }) => path));
  for (const [path, text] of bundled) await write(`${out}/${BUNDLED}/${path}`, new TextEncoder().encode(text));
  for (const [path, text] of declared) await write(`${out}/${DECLARED}/${path}`, new TextEncoder().encode(text));
  for (const { path, text } of stubs) await write(`${out}/${path}`, new TextEncoder().encode(text));
  const exports = Object.fromEntries(entries.map(({ name }, index) => [name, `./${stubs[index].path}`]));
  const top = new Set(kept.map((path) => path.split("/")[0]));
  const include = [...top, "deno.json", BUNDLED, DECLARED, STUBS], exclude = include.map(notIgnored);
  const configuration = { name, version, license, exports, imports, compilerOptions, publish: { include, exclude } };
  await write(`${out}/deno.json`, new TextEncoder().encode(JSON.stringify(configuration, null, 2)));
  const bytes = [...bundled.values()].reduce((sum, { length }) => sum + length, 0);
  return { declared: declared.size, bundled: bundled.size, bytes };
}

/** A file as the package has it. */
function published(path: string, bytes: Uint8Array): Uint8Array {
  if (!path.endsWith(".md")) return bytes;
  return new TextEncoder().encode(withoutPictures(new TextDecoder().decode(bytes)));
}

/** A page that says in words what its relative pictures show, because the package leaves the pictures out. */
export function withoutPictures(page: string): string {
  return page.replace(/<picture>[^]*?alt="([^"]*)"[^]*?<\/picture>/g, "_$1._").replace(
    /!\[([^\]]*)\]\((?![a-z]+:)[^)\s]+\.png\)/g,
    "_$1._",
  );
}

/** The package lies in a folder that git ignores, but all of it is to be published. */
function notIgnored(path: string): string {
  return `!${path}`;
}

function filesBelow(root: string, path: string): string[] {
  if (Deno.statSync(`${root}${path}`).isFile) return [path];
  return [...walk(`${root}${path}`)].map((file) => file.slice(root.length));
}

async function write(path: string, bytes: Uint8Array): Promise<void> {
  await Deno.mkdir(dirname(path), { recursive: true });
  await Deno.writeFile(path, bytes);
}

function ignoreMissing(error: unknown): void {
  if (!(error instanceof Deno.errors.NotFound)) throw error;
}
