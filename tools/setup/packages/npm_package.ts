/**
 * Fetches files out of an npm package, by whichever client the machine has:
 * what Deno has cached already, then `npm`, then Deno itself.
 *
 * @module
 */
import { gunzipSync } from "node:zlib";
import { lastWords, runQuietly } from "../command.ts";
import { isFile, onPath } from "../files.ts";
import { untar } from "./untar.ts";

/** Files inside a published package. */
export interface PackageFiles {
  /** Package name with scope. */
  name: string;
  /** Exact version. */
  version: string;
  /** Paths inside the package. */
  paths: readonly string[];
}

/**
 * The bytes of `files`, in their order; the package is downloaded once.
 * `scratch` is a folder for downloads; it must exist. Throws an `Error` that
 * tells what each client said when none could do it.
 */
export async function fetchPackageFiles(files: PackageFiles, scratch: string): Promise<Uint8Array[]> {
  const cached = await fromDenoCache(files);
  if (cached !== undefined) return cached;
  const failures: string[] = [];
  for (const road of [viaNpm, viaDeno]) {
    try {
      return await road(files, scratch);
    } catch (error) {
      failures.push(error instanceof Error ? error.message : String(error));
    }
  }
  throw new Error(`Cannot fetch ${files.name}@${files.version}: ${failures.join("; ")}`);
}

/** Downloads a package by `npm pack`, without its dependencies. */
async function viaNpm({ name, version, paths }: PackageFiles, scratch: string): Promise<Uint8Array[]> {
  if (onPath("npm") === undefined) throw new Error("npm is not installed");
  const folder = await Deno.makeTempDir({ dir: scratch });
  try {
    const args = ["pack", "--loglevel=error", "--pack-destination", folder, `${name}@${version}`];
    const ending = await runQuietly("npm", args, { cwd: folder });
    if (!ending.success) throw new Error(`npm: ${lastWords(ending)}`);
    const archive = await Deno.readFile(`${folder}/${ending.output.split("\n").at(-1)}`);
    const entries = new Map(Array.from(untar(gunzipSync(archive)), (entry) => [entry.name, entry.bytes]));
    return paths.map((path) => {
      const bytes = entries.get(`package/${path}`);
      if (bytes === undefined) throw new Error(`npm: the package has no ${path}`);
      return bytes.slice();
    });
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
}

/** Deno downloads the package into its own cache when a program imports from it. */
async function viaDeno(files: PackageFiles, scratch: string): Promise<Uint8Array[]> {
  const program = await Deno.makeTempFile({ dir: scratch, suffix: ".ts" });
  try {
    const from = JSON.stringify(`npm:${files.name}@${files.version}/package.json`);
    await Deno.writeTextFile(program, `import ${from} with { type: "json" };\n`);
    const ending = await runQuietly("deno", ["cache", "--no-config", program]);
    if (!ending.success) throw new Error(`deno: ${lastWords(ending)}`);
  } finally {
    await Deno.remove(program);
  }
  const bytes = await fromDenoCache(files);
  if (bytes === undefined) throw new Error(`deno: ${files.paths.join(", ")} not in the cache after the download`);
  return bytes;
}

/** Looks below every registry that Deno has cached, whatever its host. */
async function fromDenoCache({ name, version, paths }: PackageFiles): Promise<Uint8Array[] | undefined> {
  const ending = await runQuietly("deno", ["info", "--json", "--no-config"]);
  if (!ending.success) return undefined;
  const folder: string = JSON.parse(ending.output).npmCache;
  try {
    const registries = [...Deno.readDirSync(folder)].filter((entry) => entry.isDirectory);
    const packages = registries.map((registry) => `${folder}/${registry.name}/${name}/${version}`);
    const found = packages.find((each) => paths.every((path) => isFile(`${each}/${path}`)));
    return found === undefined ? undefined : await Promise.all(paths.map((path) => Deno.readFile(`${found}/${path}`)));
  } catch {
    return undefined;
  }
}
