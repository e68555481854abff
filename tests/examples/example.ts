import { type Outcome, run } from "../support/subprocess.ts";

const ROOT = decodeURIComponent(new URL("../../", import.meta.url).pathname);
const IMPORT_MAP = `--import-map=${ROOT}tools/offline_import_map.json`;

/** A program of `examples/`, as its header describes it. */
export interface Example {
  /** The name of the file. */
  readonly file: string;
  /** How many lines the file has. */
  readonly lines: number;
  /** The commands of the header. */
  readonly commands: readonly string[];
  /** The header's first sentence. */
  readonly about: string;
}

/** All programs of `examples/`: the files with a header that has a command. */
export function examples(): Example[] {
  const names = [...Deno.readDirSync(`${ROOT}examples`)].filter(({ isFile }) => isFile).map(({ name }) => name);
  return names.filter((name) => name.endsWith(".ts")).sort().map(read).filter(({ commands }) => commands.length > 0);
}

function read(file: string): Example {
  const text = Deno.readTextFileSync(`${ROOT}examples/${file}`),
    header = /^\/\*\*\n([^]*?)\n \*\//.exec(text)?.[1] ?? "";
  const plain = header.replaceAll(/^ \* ?/gm, "");
  const commands = /^```sh\n([^]*?)^```$/m.exec(plain)?.[1].trim().split("\n") ?? [];
  const about = plain.split("\n\n")[0].replaceAll("\n", " ");
  return { file, lines: text.trimEnd().split("\n").length, commands, about };
}

/** Starts an example by the first command of its header, in a shell; no further permission is granted. */
export function runExample(file: string, env: Record<string, string> = {}): Outcome {
  return run("sh", ["-c", commandOf(file)], { env: { NO_COLOR: "1", ...env }, seconds: 120 });
}

/** The first command of the header, with this Deno and the packages that are here, asking nobody. */
export function commandOf(file: string): string {
  const [command] = read(file).commands;
  return command.replace(/^deno (run|test)/, `${Deno.execPath()} $1 --no-prompt --no-check ${IMPORT_MAP}`);
}
