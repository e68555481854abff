import { walk } from "../walk.ts";
import { compiledAhead } from "./compiled_ahead.ts";

/** The folder of the bundle, below the package's root. */
export const BUNDLED = "built";

/**
 * Bundles entries, split where they share: the files by their paths below the
 * bundle's folder. Packages of others stay imports.
 */
export async function bundle(root: string, entries: readonly string[]): Promise<Map<string, string>> {
  const folder = await Deno.makeTempDir({ prefix: "pumice-build-" });
  try {
    const flags = [
      "--platform=deno",
      "--code-splitting",
      "--no-check",
      "--quiet",
      "--external=fast-png",
      "--external=pbf",
    ];
    const map = `--import-map=${root}tools/offline_import_map.json`;
    const args = ["bundle", ...flags, map, `--outdir=${folder}`, ...entries];
    const { success, stderr } = await new Deno.Command("deno", { args, cwd: root }).output();
    if (!success) throw new Error(`Cannot bundle the package: ${new TextDecoder().decode(stderr)}`);
    return new Map(
      [...walk(folder)].map((file) => {
        const path = file.slice(folder.length + 1);
        return [path, compiledAhead(inPlace(path, Deno.readTextFileSync(file)))];
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
 * its own address, such as the program of another thread, lies beside the
 * source and not beside the bundle.
 */
export function inPlace(path: string, text: string): string {
  const up = "../".repeat(path.split("/").length);
  let source: string | undefined;
  return text.split("\n").map((line) => {
    source = MODULE_COMMENT.exec(line)?.[1] ?? source;
    if (!source || MODULE_COMMENT.test(line)) return line;
    const own = `new URL("${up}${source}", import.meta.url).href`;
    return line.replace(
      /import\.meta\.resolve\(([^)]*)\)|import\.meta\.url/g,
      (_, wanted?: string) => wanted === undefined ? own : `new URL(${wanted}, ${own}).href`,
    );
  }).join("\n");
}
