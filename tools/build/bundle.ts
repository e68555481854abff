import { dirname, join } from "node:path";
import { walk } from "../walk.ts";
import { runBundler } from "./bundler.ts";

/** The folder of the bundle, below the package's root. */
export const BUNDLED = "built";

/**
 * Bundles entries, split where they share: the files by their paths below the
 * bundle's folder. Packages of others stay imports. `places` says for sources
 * that are found by their address where the package has them, see {@linkcode inPlace}.
 */
export async function bundle(
  root: string,
  entries: readonly string[],
  places: ReadonlyMap<string, string>,
): Promise<Map<string, string>> {
  const folder = await Deno.makeTempDir({ prefix: "pumice-build-" });
  try {
    const map = `--import-map=${root}tools/offline_import_map.json`;
    await runBundler(root, ["--code-splitting", map, `--outdir=${folder}`, ...entries]);
    return new Map(
      [...walk(folder)].map((file) => {
        const path = file.slice(folder.length + 1);
        return [path, inPlace(path, Deno.readTextFileSync(file), places)];
      }),
    );
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
}

/** Whether this machine can bundle: Deno fetches esbuild the first time. */
export async function canBundle(): Promise<boolean> {
  const file = await Deno.makeTempFile({ suffix: ".ts" });
  try {
    const args = ["bundle", "--quiet", "--no-check", "--output", `${file}.js`, file];
    const { success } = await new Deno.Command("deno", { args, stdout: "null", stderr: "null" }).output();
    if (success) await Deno.remove(`${file}.js`);
    return success;
  } finally {
    await Deno.remove(file);
  }
}

/** The bundler says in a comment which module a part of a file is of. */
const MODULE_COMMENT = /^\/\/ (\S+\.[jt]s)$/;

/**
 * A bundled file whose parts know their sources' places: what a module finds by
 * its own address, such as a folder of examples, lies beside the source and not
 * beside the bundle. Another module, such as the program of a thread, lies where
 * `places` says: paths in the package by paths of sources. Throws an `Error` for
 * a module that the package does not have.
 */
export function inPlace(path: string, text: string, places: ReadonlyMap<string, string>): string {
  const up = "../".repeat(path.split("/").length);
  let source: string | undefined;
  return text.split("\n").map((line) => {
    source = MODULE_COMMENT.exec(line)?.[1] ?? source;
    if (!source || MODULE_COMMENT.test(line)) return line;
    const module = source;
    return line.replace(ADDRESS, (_, wanted?: string, base?: string) => {
      const place = wanted === undefined ? module : placeOf(wanted, module, places);
      const address = `new URL("./${up}${place}", import.meta.url)`;
      return base === undefined ? `${address}.href` : address;
    });
  }).join("\n");
}

/** A place by a module's own address: `new URL("…", import.meta.url)`, `import.meta.resolve("…")`, or the address. */
const ADDRESS = /(?:new URL\(|import\.meta\.resolve\()"(\.[^"]*)"(?:(, import\.meta\.url)\)|\))|import\.meta\.url/g;

function placeOf(wanted: string, module: string, places: ReadonlyMap<string, string>): string {
  const source = join(dirname(module), wanted), place = places.get(source);
  if (place !== undefined || !source.endsWith(".ts")) return place ?? source;
  throw new Error(`Cannot bundle ${module}: it runs ${source}, which is not among the package's programs`);
}
