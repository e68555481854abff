/**
 * Fetches one file out of an npm package, by whichever client the machine has:
 * what Deno has cached already, then `npm`, then Deno itself.
 *
 * @module
 */
import { gunzipSync } from "node:zlib";
import { lastWords, runQuietly } from "./command.ts";
import { firstFile, onPath } from "./files.ts";
import { untar } from "./untar.ts";

/** A file inside a published package. */
export interface PackageFile {
  /** Package name with scope. */
  name: string;
  /** Exact version. */
  version: string;
  /** Path inside the package. */
  path: string;
}

/**
 * The bytes of `file`. `scratch` is a folder for downloads; it must exist.
 * Throws an `Error` that tells what each client said when none could do it.
 */
export async function fetchPackageFile(file: PackageFile, scratch: string): Promise<Uint8Array> {
  const cached = await fromDenoCache(file);
  if (cached !== undefined) return cached;
  const failures: string[] = [];
  for (const road of [viaNpm, viaDeno]) {
    try {
      return await road(file, scratch);
    } catch (error) {
      failures.push(error instanceof Error ? error.message : String(error));
    }
  }
  throw new Error(`Cannot fetch ${file.name}@${file.version}: ${failures.join("; ")}`);
}

/** `npm pack` downloads the package alone, without what it depends on. */
async function viaNpm(file: PackageFile, scratch: string): Promise<Uint8Array> {
  if (onPath("npm") === undefined) throw new Error("npm is not installed");
  const folder = await Deno.makeTempDir({ dir: scratch });
  try {
    const args = ["pack", "--loglevel=error", "--pack-destination", folder, `${file.name}@${file.version}`];
    const ending = await runQuietly("npm", args, { cwd: folder });
    if (!ending.success) throw new Error(`npm: ${lastWords(ending)}`);
    const archive = await Deno.readFile(`${folder}/${ending.output.split("\n").at(-1)}`);
    for (const entry of untar(gunzipSync(archive))) {
      if (entry.name === `package/${file.path}`) return entry.bytes.slice();
    }
    throw new Error(`npm: the package has no ${file.path}`);
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
}

/** Deno downloads the package into its own cache when a program imports from it. */
async function viaDeno(file: PackageFile, scratch: string): Promise<Uint8Array> {
  const program = await Deno.makeTempFile({ dir: scratch, suffix: ".ts" });
  try {
    const from = JSON.stringify(`npm:${file.name}@${file.version}/package.json`);
    await Deno.writeTextFile(program, `import ${from} with { type: "json" };\n`);
    const ending = await runQuietly("deno", ["cache", "--no-config", program]);
    if (!ending.success) throw new Error(`deno: ${lastWords(ending)}`);
  } finally {
    await Deno.remove(program);
  }
  const bytes = await fromDenoCache(file);
  if (bytes === undefined) throw new Error(`deno: ${file.path} is not in the cache after the download`);
  return bytes;
}

/** Looks below every registry that Deno has cached, whatever its host. */
async function fromDenoCache(file: PackageFile): Promise<Uint8Array | undefined> {
  const ending = await runQuietly("deno", ["info", "--json", "--no-config"]);
  if (!ending.success) return undefined;
  const folder: string = JSON.parse(ending.output).npmCache;
  try {
    const registries = [...Deno.readDirSync(folder)].filter((entry) => entry.isDirectory);
    const paths = registries.map(({ name }) => `${folder}/${name}/${file.name}/${file.version}/${file.path}`);
    const path = firstFile(paths);
    return path === undefined ? undefined : await Deno.readFile(path);
  } catch {
    return undefined;
  }
}
