/**
 * Command lines of all commands whose file is not there, a folder, garbage, or may not be read.
 *
 * @module
 */
import { main } from "../../cli.ts";
import { TINY } from "../loader/tiny.ts";

/** The state of the file that a command line names. */
export type Wrong = "missing" | "folder" | "unreadable" | "garbage";

const PAIR = [`--driver=${TINY}`, `--driver=${TINY}`], QUEUE = "--queue=nats://127.0.0.1:1";

/**
 * Command lines by command. `FILE` is a file to read, `DIR` a folder to write, `TEXT` a file that is as it should be, and
 * `PLACE` a folder that is. Commands that name no file have no line.
 */
export const LINES: Readonly<Record<string, readonly (readonly string[])[]>> = {
  explain: [["--driver=FILE"], ["--platform=android", "--system-properties=FILE"]],
  info: [["FILE"], ["--driver=FILE"], ["TEXT", "--diff=FILE"], ["--composer=FILE"]],
  check: [["--only=composer", "--html=DIR"], ["--only=composer", "--emit=DIR"], ["--only=composer", "--verify=DIR"]],
  deqp: [
    ["FILE", "--command=true"],
    ["TEXT", "--command=FILE"],
    ...["baseline", "flakes", "skips"].map((name) => ["TEXT", "--command=true", `--${name}=FILE`]),
    ["TEXT", "--compare=FILE"],
    ["TEXT", "--command=true", "--html=DIR"],
  ],
  test: [["FILE"], ["TEXT", "--baseline=FILE"], ["TEXT", "--flakes=FILE"], ["TEXT", "--html=DIR"]],
  worker: ["credentials", "key", "authority"].map((name) => [QUEUE, `--${name}=FILE`]),
  run: [["FILE"], ["TEXT", "--layer=FILE.ts"], ["TEXT", "--layer=limits:FILE"]],
  exec: [["--", "FILE"]],
  serve: [["--listen=unix:PLACE/socket", "--key-file=FILE"]],
  phone: [["com.example.app", "--layer=profile", "--adb=FILE"]],
  trace: [["FILE"]],
  record: [["FILE"]],
  recording: [["info", "FILE"], ["verify", "FILE"], ["trim", "FILE", "--frames=1"]],
  replay: [["FILE"]],
  view: [["FILE"], ["TEXT", ...PAIR, "--html=DIR"]],
  compare: [["FILE", ...PAIR], ["TEXT", ...PAIR, "--html=DIR"]],
  reduce: [["FILE", ...PAIR]],
  fuzz: [[...PAIR, "--known=FILE"], [...PAIR, "--out=DIR"]],
  stub: [["DIR"]],
  "layer-library": [["DIR"], ["DIR", "--gles"]],
  compose: [["--frames=1", "--driver=FILE"]],
  doctor: [["--", "FILE"]],
};

/** The signs of an error that was not made for people. */
const PLAIN = /os error|^ +at |\[object|undefined|^\w*Error:/m;

/** Commands that print what they found on the way, or what a person can do by hand. */
const TELLING: readonly (string | undefined)[] = ["explain", "phone"];

/** Lines that are right after all: any bytes are properties, and keys that are not there are made. */
const RIGHT = ["garbage --system-properties", "missing --key-file"];

/** Writes the files into a folder. Superusers read every file unless they give that right up. */
export function writeWrong(folder: string): void {
  const garbage = crypto.getRandomValues(new Uint8Array(3000));
  for (const end of ["", ".ts"]) {
    Deno.mkdirSync(`${folder}/folder${end}`);
    Deno.writeFileSync(`${folder}/garbage${end}`, garbage);
    Deno.writeTextFileSync(`${folder}/unreadable${end}`, "{}", { mode: 0 });
  }
  Deno.mkdirSync(`${folder}/closed`, { mode: 0o500 });
  Deno.mkdirSync(`${folder}/place`);
  Deno.writeTextFileSync(`${folder}/text.ts`, "dEQP-VK.info\n");
}

/** Runs all lines, and returns a text about each that does not say in a sentence on standard error what is wrong. */
export async function wrongLines(folder: string, wrong: Wrong): Promise<string[]> {
  const found: string[] = [];
  for (const [command, lines] of Object.entries(LINES)) {
    for (const line of lines) {
      const label = `${wrong} ${line.join(" ")}`;
      if (RIGHT.some((right) => label.startsWith(right.split(" ")[0]) && label.includes(right.split(" ")[1]))) continue;
      const path = pathOf(folder, wrong, line.some((word) => word.includes("DIR")));
      if (path === undefined) continue;
      const args = line.map((word) =>
        word.replace("TEXT", `${folder}/text.ts`).replace("PLACE", `${folder}/place`).replace(/FILE|DIR/, path)
      );
      const trouble = await troubleWith([command, ...args], path);
      if (trouble !== undefined) found.push(`${[command, ...args].join(" ")}: ${trouble}`);
    }
  }
  return found;
}

/** The path for a line; a folder that is not there is made, and one that is there is used. */
function pathOf(folder: string, wrong: Wrong, isFolder: boolean): string | undefined {
  if (!isFolder) return `${folder}/${wrong}`;
  return {
    missing: undefined,
    folder: undefined,
    unreadable: `${folder}/closed/new`,
    garbage: `${folder}/garbage`,
  }[wrong];
}

async function troubleWith(args: string[], path: string): Promise<string | undefined> {
  const out: string[] = [], err: string[] = [];
  const code = await main(args, (text) => out.push(text), { warn: (text) => err.push(text) });
  const said = err.join("\n"), printed = out.join("\n");
  if (code !== 2) return `exit code ${code}: ${said} ${printed}`;
  if (printed !== "" && !TELLING.includes(args[0])) return `standard output has ${printed}`;
  if (!said.includes(path)) return `the file is not named: ${said}`;
  const own = path.endsWith("garbage") && args.at(-1)!.endsWith(".ts") ? /os error/ : PLAIN; // a module's error has its place
  return own.test(said) ? `no plain sentence: ${said}` : undefined;
}
