import { assert } from "@std/assert";
import { decode } from "fast-png";
import { type Outcome, run } from "../support/subprocess.ts";

const ROOT = decodeURIComponent(new URL("../../", import.meta.url).pathname);
const IMPORT_MAP = `--import-map=${ROOT}tools/offline_import_map.json`;

/** A program of `examples/`, as its header describes it. */
export interface Example {
  /** The name of the file. */
  readonly file: string;
  /** The number of lines of the file. */
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

/** A command of the header, with this Deno and the packages that are here, asking nobody. */
export function commandOf(file: string, index = 0): string {
  return read(file).commands[index].replace(
    /^deno (run|test)/,
    `${Deno.execPath()} $1 --no-prompt --no-check ${IMPORT_MAP}`,
  );
}

/** A picture that an example wrote. */
export interface DrawnPicture {
  /** Width and height in pixels. */
  readonly size: readonly [number, number];
  /** Red, green and blue of a pixel. */
  at(x: number, y: number): number[];
}

/** Reads a picture from `out/`. */
export function picture(name: string): DrawnPicture {
  const { width, height, data } = decode(Deno.readFileSync(`${ROOT}out/${name}.png`));
  return { size: [width, height], at: (x, y) => [...data.subarray(4 * (width * y + x), 4 * (width * y + x) + 3)] };
}

/** Whether two colours differ by at most `by` in each channel. */
export function assertNear(found: readonly number[], wanted: readonly number[], by = 12): void {
  assert(found.every((value, index) => Math.abs(value - wanted[index]) <= by), `${found} is not ${wanted}`);
}
