import { driverVariables } from "../self_check/threads.ts";
import { loadVulkan } from "../../../loader/mod.ts";
import { type CheckedProgram, DEVICE, DRIVER, FOLDER } from "./catalogue.ts";
import type { Replayed } from "./verify.ts";

/** The outcome for one program. */
export interface Row {
  readonly name: string;
  /** The number of reads that were compared. */
  readonly reads: number;
  /** The number of presented pictures that were compared. */
  readonly pictures: number;
  /** The differences that no gap names. */
  readonly differing: readonly string[];
  /** The reasons why the recording cannot be replayed, by its own words; empty for one that can. */
  readonly gaps: readonly string[];
  /** The reason why there is no recording; `undefined` if there is one. */
  readonly trouble: string | undefined;
  readonly seconds: number;
}

const ROOT = decodeURIComponent(new URL("../../../", import.meta.url).pathname);
/** Seconds after which a command is ended. */
const LONGEST = 300;
/** The most characters of a program's last words that are told. */
const LAST = 300;
/** The exit code of `timeout` for a program that it has ended. */
const ENDED = 124;

/** Records a program, replays the recording on the same driver, and compares what the program read and presented. */
export async function checkProgram(program: CheckedProgram, driver: string, folder: string): Promise<Row> {
  const start = performance.now(), path = `${folder}/recording.jsonl`, shown = `${folder}/shown`;
  Deno.writeTextFileSync(shown, "");
  const here = (word: string) => inPlace(word, driver, folder), { before } = program;
  const variables = { ...driverVariables(driver, folder), XDG_RUNTIME_DIR: folder };
  const env = { ...variables, ...inPlaces(program.env, here), PUMICE_WITNESS: shown };
  if (before) await runFor(before.line.map(here), { ...variables, ...inPlaces(before.env, here) });
  const line = program.line.map(here);
  const { code, text, stderr } = await runScript(["cli.ts", ...commandOf({ ...program, line }, path)], env);
  const end = (row: Partial<Row>): Row => ({
    ...{
      name: `${program.name}, ${libraryName(driver)}`,
      reads: 0,
      pictures: 0,
      differing: [],
      gaps: [],
      trouble: undefined,
    },
    ...row,
    seconds: (performance.now() - start) / 1000,
  });
  const words = text.split("\n").findLast((line) => line.startsWith(`${path}: `))?.slice(path.length + 2);
  if (words === undefined || code !== 0 && code !== ENDED && !words.startsWith("cannot")) {
    return end({ trouble: `${words ?? "no recording"}; exit code ${code}: ${stderr.trim().slice(-LAST)}` });
  }
  if (!words.endsWith("to be replayed")) return end({ gaps: words.split("; ") });
  const replay = await runScript(["tools/fuzz/programs/verify.ts", path, driver], env);
  const last = replay.text.trim().split("\n").at(-1)!;
  if (replay.code !== 0) return end({ differing: [`the replay ended with ${replay.code}: ${last}`] });
  const replayed = JSON.parse(last) as Replayed;
  const pictures = Deno.readTextFileSync(shown).split("\n").slice(0, -1);
  return end({
    reads: replayed.reads,
    pictures: pictures.length,
    differing: differencesOf(replayed, pictures, code === ENDED),
  });
}

/** Returns a sentence for each thing in which a replay differs from the program; the reason alone for one that failed. */
export function differencesOf(replayed: Replayed, shown: readonly string[], isEnded: boolean): string[] {
  const { failure, differences, pictures } = replayed;
  return failure === undefined ? [...differences, ...otherPictures(shown, pictures, isEnded)] : [failure];
}

/** A program that is ended may be ended in the middle of its last picture. */
export function otherPictures(shown: readonly string[], replayed: readonly string[], isEnded: boolean): string[] {
  const both = Math.min(shown.length, replayed.length), more = Math.abs(shown.length - replayed.length);
  const different = shown.slice(0, both).flatMap((picture, index) =>
    picture === replayed[index] ? [] : [`picture ${index + 1} differs`]
  );
  if (more <= Number(isEnded)) return different;
  return [...different, `the program presented ${shown.length} pictures, the replay ${replayed.length}`];
}

function inPlaces(env: CheckedProgram["env"] = {}, here: (word: string) => string): Record<string, string> {
  return Object.fromEntries(Object.entries(env).map(([name, value]) => [name, here(value)]));
}

function inPlace(word: string, driver: string, folder: string): string {
  return word.replace(DEVICE, () => deviceName(driver)).replace(DRIVER, driver).replace(FOLDER, folder);
}

/** Some programs take a software driver only by its name. */
function deviceName(driver: string): string {
  using vulkan = loadVulkan({ driver });
  using instance = vulkan.vkCreateInstance({});
  return instance.vkEnumeratePhysicalDevices()[0].vkGetPhysicalDeviceProperties().deviceName;
}

function libraryName(path: string): string {
  return /(?:lib(?:vulkan_|vk_)?)?([^/]*?)\.so/.exec(path)?.[1] ?? path;
}

function commandOf({ line, seconds }: CheckedProgram, path: string): string[] {
  const witness = "--layer=tools/fuzz/programs/witness.ts";
  if (line[0].endsWith(".ts")) return ["record", `--out=${path}`, witness, ...line];
  return ["exec", `--record=${path}`, witness, "--", ...seconds ? ["timeout", `${seconds}`] : [], ...line];
}

/** Runs a script of the project. */
export function runScript(args: readonly string[], env: Record<string, string> = {}) {
  return runDeno(["run", "-A", "--unstable-webgpu", ...args], env);
}

/** Runs a verb of Deno, its flags and a module, in the root of the project. A process that takes too long is ended. */
export function runDeno([verb, ...args]: readonly string[], env: Record<string, string>) {
  return runFor([Deno.execPath(), verb, "--no-check", "--import-map=tools/offline_import_map.json", ...args], env);
}

async function runFor(line: readonly string[], env: Record<string, string>) {
  const { code, stdout, stderr } = await new Deno.Command("timeout", {
    args: [`${LONGEST}`, ...line],
    cwd: ROOT,
    env: { ...env, NO_COLOR: "1" },
    stdin: "null",
    stdout: "piped",
    stderr: "piped",
  }).output();
  const decode = (bytes: Uint8Array) => new TextDecoder().decode(bytes);
  return { code, stderr: decode(stderr), text: decode(stderr) + decode(stdout) };
}
