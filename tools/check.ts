/**
 * `deno task check`: the types of all modules, of the programs in pages and of the examples in comments, also of
 * examples that are not run. One run of the compiler reads the generated types once for all of them.
 *
 * @module
 */
import { walk } from "./walk.ts";

const ROOT = decodeURIComponent(new URL("../", import.meta.url).pathname);
const MAP = `${ROOT}tools/offline_import_map.json`;
/** The folders and modules of the package. */
const PACKAGE: readonly string[] = ["mod.ts", "cli.ts", "cli", "ffi", "loader", "wsi", "egl", "hwc", "workbench"];
/** The pages with programs: Deno finds examples in comments itself, pages only by their names. */
const PAGES: readonly string[] = ["README.md", "docs"];

/** The files of some kind at the paths of a project that are there. */
function filesAt(root: string, paths: readonly string[], ending: string): string[] {
  const names = [...Deno.readDirSync(root)].filter(({ name }) => paths.includes(name));
  const files = names.flatMap(({ name, isFile }) => isFile ? [`${root}${name}`] : [...walk(`${root}${name}`)]);
  return files.filter((file) => file.endsWith(ending)).map((file) => file.slice(root.length)).sort();
}

/** The examples in the comments of a project's package that Deno leaves alone, because they need files or an end. */
export function ignoredExamples(root: string): [name: string, source: string][] {
  return filesAt(root, PACKAGE, ".ts").flatMap((path) => {
    const name = path.replace(/\.ts$/, "").replaceAll("/", ".");
    const found = Deno.readTextFileSync(`${root}${path}`).matchAll(/^ *\* ```ts ignore\n([^]*?)^ *\* ```$/gm);
    return Array.from(found, ([, code], index): [string, string] => {
      return [`${name}.${index}.ts`, `${code.replace(/^ *\* ?/gm, "")}\nexport {};`];
    });
  });
}

/** Checks all types of a project; the compiler prints what is wrong. The path of the project ends in a slash. */
export async function checkProject(root: string): Promise<Deno.CommandOutput> {
  // Inside the project, where the project's own name resolves.
  const folder = Deno.makeTempDirSync({ dir: root, prefix: ".examples-" });
  try {
    for (const [name, source] of ignoredExamples(root)) Deno.writeTextFileSync(`${folder}/${name}`, source);
    const paths = [".", ...filesAt(root, PAGES, ".md"), folder.slice(root.length)];
    const args = ["check", "--quiet", "--doc", `--import-map=${MAP}`, ...paths];
    return await new Deno.Command(Deno.execPath(), { args, cwd: root, stdin: "null" }).output();
  } finally {
    Deno.removeSync(folder, { recursive: true });
  }
}

if (import.meta.main) {
  const { code, stdout, stderr } = await checkProject(ROOT);
  await Deno.stdout.write(stdout);
  await Deno.stderr.write(stderr);
  Deno.exitCode = code;
}
