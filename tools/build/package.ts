import { dirname } from "node:path";
import { walk } from "../walk.ts";
import { bundle, BUNDLED } from "./bundle.ts";
import { entryStub, STUBS } from "./entry.ts";

/** The written package. */
export interface Written {
  /** Number of modules of the sources. */
  readonly modules: number;
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

/** A picture of a page. Pictures are a tenth of all bytes, and neither code nor an editor shows one. */
const PICTURE = /^docs\/.*\.png$/;

/** Writes the package of the project at `root`, both absolute, into an empty folder; the folder's old contents go. */
export async function writePackage(root: string, out: string): Promise<Written> {
  const { name, version, license, imports, compilerOptions, publish, ...given }: Configuration = JSON.parse(
    await Deno.readTextFile(`${root}deno.json`),
  );
  await Deno.remove(out, { recursive: true }).catch(ignoreMissing);
  const included = publish.include.filter((path) => path !== "deno.json").flatMap((path) => filesBelow(root, path));
  const sources = included.filter((path) => !PICTURE.test(path));
  for (const path of sources) await write(`${out}/${path}`, published(path, await Deno.readFile(`${root}${path}`)));
  const bundled = await bundle(root, Object.values(given.exports));
  for (const [path, text] of bundled) await write(`${out}/${BUNDLED}/${path}`, new TextEncoder().encode(text));
  const exports: Record<string, string> = {};
  for (const [entry, path] of Object.entries(given.exports)) {
    const stub = entryStub(entry, path, await Deno.readTextFile(`${root}${path}`));
    await write(`${out}/${stub.path}`, new TextEncoder().encode(stub.text));
    exports[entry] = `./${stub.path}`;
  }
  const include = [...publish.include, BUNDLED, STUBS], exclude = include.map(notIgnored);
  const configuration = { name, version, license, exports, imports, compilerOptions, publish: { include, exclude } };
  await write(`${out}/deno.json`, new TextEncoder().encode(JSON.stringify(configuration, null, 2)));
  const bytes = [...bundled.values()].reduce((sum, { length }) => sum + length, 0);
  return { modules: sources.filter((path) => /\.[jt]s$/.test(path)).length, bundled: bundled.size, bytes };
}

/** A file as the package has it. */
function published(path: string, bytes: Uint8Array): Uint8Array {
  if (!path.endsWith(".md")) return bytes;
  return new TextEncoder().encode(withoutPictures(new TextDecoder().decode(bytes)));
}

/** A page that says in words what its relative pictures show, because the package leaves the pictures out. */
export function withoutPictures(page: string): string {
  return page.replace(/!\[([^\]]*)\]\((?![a-z]+:)[^)\s]+\.png\)/g, "_$1._");
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
