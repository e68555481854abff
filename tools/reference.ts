/**
 * `deno task reference`: makes the reference of all entries as pages. `deno doc` names an entry by its last word alone
 * in the line that imports a symbol; the pages say what a program writes.
 *
 * @module
 */
import { OptionError, readOptions, runTask } from "./task.ts";
import { walk } from "./walk.ts";

const ROOT = new URL("../", import.meta.url);
const HELP = `deno task reference [--output=DIR]
  --output=DIR  where the pages go; default out/reference`;

/** The parts of the reference, as deno.json has them. */
export interface Package {
  /** The name, such as `@pumice/gfx`. */
  readonly name: string;
  /** The file of each entry, by the entry's name, such as `./vk`. */
  readonly exports: Readonly<Record<string, string>>;
}

/** Makes the pages of some entries in a folder. Returns whether that succeeded. */
export async function makeReference({ name, exports }: Package, output: string): Promise<boolean> {
  const args = ["doc", "--quiet", "--html", `--name=${name}`, `--output=${output}`, ...Object.values(exports)];
  const { success } = await new Deno.Command(Deno.execPath(), { args, cwd: ROOT, stdout: "null" }).output();
  if (!success) return false;
  for (const path of walk(output)) {
    if (!path.endsWith(".html")) continue;
    const page = Deno.readTextFileSync(path), named = withNames(page, { name, exports });
    if (named !== page) Deno.writeTextFileSync(path, named);
  }
  return true;
}

/** A page whose lines of imports name entries as programs do: `@pumice/gfx/vk` where `deno doc` wrote `vk`. */
export function withNames(page: string, { name, exports }: Package): string {
  const entries = new Set(Object.keys(exports));
  return page.replace(/( from &quot;)([\w.-]+)(&quot;)/g, (line, before: string, word: string, after: string) => {
    if (word === "." && entries.has(".")) return before + name + after;
    return entries.has(`./${word}`) ? `${before}${name}/${word}${after}` : line;
  });
}

async function main(): Promise<number> {
  const { values: { output = "out/reference" } } = readOptions(HELP, { options: { output: { type: "string" } } });
  if (output === "") throw new OptionError("--output is empty; name a folder");
  const about: Package = JSON.parse(Deno.readTextFileSync(new URL("deno.json", ROOT)));
  return await makeReference(about, output) ? 0 : 1;
}

if (import.meta.main) await runTask(HELP, main);
