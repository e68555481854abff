/**
 * Runs a program of this project in a process of its own, for what a process
 * is given once: V8 flags, environment, permissions, an exit code.
 *
 * @module
 */
import { keptByDeno } from "../../tools/test/surroundings.ts";
import { count } from "./counts.ts";

const ROOT = decodeURIComponent(new URL("../../", import.meta.url).pathname);
const IMPORT_MAP = `--import-map=${ROOT}tools/offline_import_map.json`;

/** The end of a program, and everything it printed. */
export interface Outcome {
  /** The exit code of the program. */
  readonly code: number;
  /** Standard output. */
  readonly stdout: string;
  /** Standard error. */
  readonly stderr: string;
  /** Both. */
  readonly output: string;
}

/** A bound says that a program hangs; with full counts a program has more to do, on a machine that is busy. */
const PATIENCE = count(1, 3);

/** The surroundings of a program beside its arguments. */
export interface Surroundings {
  /** Environment variables, added to this process's own. */
  readonly env?: Record<string, string>;
  /** The variables of this process that are not handed on. */
  readonly without?: RegExp;
  /**
   * Seconds after which it is ended, for what may wait for ever, such as a native layer: the exit code is then 124.
   * With full counts it is three times as long.
   */
  readonly seconds?: number;
  /** The folder in which it runs; the project's root if none is given. */
  readonly cwd?: string;
}

/** Runs `deno run` with flags, a path below the project's root, and arguments. */
export function runProgram(
  path: string,
  args: readonly string[],
  { flags = [], ...surroundings }: Surroundings & { flags?: readonly string[] } = {},
): Outcome {
  const permissions = ["ffi", "read", "write", "env", "run"].map((name) => `--allow-${name}`);
  return runDeno(["run", "--no-prompt", ...permissions, IMPORT_MAP, ...flags, `${ROOT}${path}`, ...args], surroundings);
}

/** Runs `deno test` with these arguments, without checking types again. */
export function runTests(args: readonly string[], surroundings: Surroundings = {}): Outcome {
  return runDeno(["test", "-P", "--no-check", IMPORT_MAP, ...args], surroundings);
}

/** Runs `deno check` on a path below the project's root. */
export function checkTypes(path: string): Outcome {
  return runDeno(["check", IMPORT_MAP, `${ROOT}${path}`], {});
}

/** Runs this very Deno with arguments (in an emulator, what stands for it), coloured output off. */
export function runDeno(args: readonly string[], surroundings: Surroundings = {}): Outcome {
  const env = { NO_COLOR: "1", ...keptByDeno(), ...surroundings.env };
  return run(Deno.env.get("PUMICE_DENO") ?? Deno.execPath(), args, { ...surroundings, env });
}

/** Runs any program. */
export function run(command: string, args: readonly string[], surroundings: Surroundings = {}): Outcome {
  const { seconds, without, cwd = ROOT } = surroundings, env = { ...kept(without), ...surroundings.env };
  const line = seconds === undefined ? [command, ...args] : ["timeout", `${seconds * PATIENCE}`, command, ...args];
  const { code, stdout, stderr } = new Deno.Command(line[0], { args: line.slice(1), cwd, env, clearEnv: true })
    .outputSync();
  const [out, err] = [stdout, stderr].map((bytes) => new TextDecoder().decode(bytes));
  return { code, stdout: out, stderr: err, output: out + err };
}

/** This process's variables but for some. */
function kept(without: RegExp | undefined): Record<string, string> {
  const all = Deno.env.toObject();
  return Object.fromEntries(Object.entries(all).filter(([name]) => !without?.test(name)));
}
