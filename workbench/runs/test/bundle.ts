import { resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { isFile } from "../../../ffi/library/library.ts";
import { temporaryFolder } from "../../../loader/temporary_folder.ts";
import { bundleScript } from "../testing/bundle_script.ts";
import type { ListedTest } from "../testing/list_tests.ts";
import { twinParts, twinText } from "../../process/twin_words.ts";
import { ownFlags } from "../../process/own_flags.ts";
import { type ArchivedFile, hashOf, pack } from "./archive.ts";

/** A test's file with all its imports, and the golden files, as one piece of data. */
export interface TestBundle {
  /** The hash of the data. */
  readonly hash: string;
  /** The data. */
  readonly bytes: Uint8Array;
}

/** Milliseconds for bundling: a first bundle waits for the bundler's download. */
const BUNDLING = 120_000;
const MAP = /\n\/\/# sourceMappingURL=data:application\/json;base64,([\w+/=]*)\s*$/;

/**
 * Bundles a test's file for other machines: one file of JavaScript with all imports, in which errors name the places of
 * the original, and the golden files of the tests. Files lie below the archive's root as they lie here below `/`.
 * Throws an `Error` with the bundler's words.
 *
 * @param file The address of the file.
 */
export async function bundleTests(file: string, tests: readonly ListedTest[]): Promise<TestBundle> {
  const program: ArchivedFile = { path: bundledPath(file), bytes: new TextEncoder().encode(await bundled(file)) };
  const bytes = pack([program, ...goldensOf(file, tests), ...twinsOf(tests)]);
  return { hash: await hashOf(bytes), bytes };
}

/** The path of a bundled file below the root. */
export function bundledPath(file: string): string {
  const path = fileURLToPath(file).slice(1);
  return /\.m?js$/.test(path) ? path : `${path}.js`;
}

async function bundled(file: string): Promise<string> {
  using folder = temporaryFolder("bundle");
  const output = `${folder.path}/bundle.js`, flags = [...ownFlags(file), "--sourcemap=inline"];
  const problem = await bundleScript(fileURLToPath(file), output, flags, BUNDLING);
  if (problem !== undefined) throw new Error(problem);
  return withPlaces(Deno.readTextFileSync(output), `file://${output}`);
}

/** A bundle whose map names sources by whole addresses, so that the bundle may lie anywhere, and has no copies of them. */
function withPlaces(text: string, address: string): string {
  const [whole, encoded] = MAP.exec(text) ?? [];
  if (whole === undefined) return text;
  const { sources, sourcesContent: _, ...map } = JSON.parse(new TextDecoder().decode(Uint8Array.fromBase64(encoded)));
  const placed = { ...map, sources: sources.map((source: string) => new URL(source, address).href) };
  const base64 = new TextEncoder().encode(JSON.stringify(placed)).toBase64();
  return `${text.slice(0, -whole.length)}\n//# sourceMappingURL=data:application/json;base64,${base64}\n`;
}

function goldensOf(file: string, tests: readonly ListedTest[]): ArchivedFile[] {
  const folders = new Set(tests.map(({ options }) => fileURLToPath(new URL(options.goldens ?? "goldens", file).href)));
  return [...folders].flatMap((folder) =>
    picturesIn(folder).map((name) => {
      const path = `${folder.replace(/\/$/, "")}/${name}`;
      return { path: path.slice(1), bytes: Deno.readFileSync(path) };
    })
  );
}

/** The files that describe the devices as which tests run, which lie in the bundle as golden files do. */
function twinsOf(tests: readonly ListedTest[]): ArchivedFile[] {
  const sources = tests.flatMap(({ options }) => options.twins ?? []).map((twin) => twinParts(twin).source);
  const paths = new Set(sources.filter(isFile).map((path) => resolve(path)));
  return [...paths].map((path) => ({ path: path.slice(1), bytes: Deno.readFileSync(path) }));
}

/** The twin of a test as a machine has it on which a bundle lies below `root`. */
export function bundledTwin(twin: string, root: string): string {
  const { strictness, source } = twinParts(twin), path = `${root}${source}`;
  return source.startsWith("/") && isFile(path) ? twinText({ strictness, source: path }) : twin;
}

function picturesIn(folder: string): string[] {
  try {
    return [...Deno.readDirSync(folder)].filter(({ name }) => name.endsWith(".png")).map(({ name }) => name);
  } catch {
    return []; // the tests say which golden file they miss
  }
}
