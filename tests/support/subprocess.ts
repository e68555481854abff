/**
 * Runs a program of this project in a process of its own, for what a process
 * is given once: V8 flags, environment, permissions, an exit code.
 *
 * @module
 */

const ROOT = new URL("../../", import.meta.url).pathname;

/** How a program ended, and everything it printed. */
export interface Outcome {
  /** Its exit code. */
  readonly code: number;
  /** Standard output. */
  readonly stdout: string;
  /** Standard error. */
  readonly stderr: string;
  /** Both. */
  readonly output: string;
}

/** Runs `deno run` with flags, a path below the project's root, and arguments, coloured output off. */
export function runProgram(
  path: string,
  args: readonly string[],
  { flags = [], env = {} }: { flags?: readonly string[]; env?: Record<string, string> } = {},
): Outcome {
  const map = `--import-map=${ROOT}tools/offline_import_map.json`;
  const fixed = ["run", "--no-prompt", "--allow-ffi", "--allow-read", "--allow-write", "--allow-env", "--allow-run"];
  const { code, stdout, stderr } = new Deno.Command(Deno.execPath(), {
    args: [...fixed, map, ...flags, `${ROOT}${path}`, ...args],
    cwd: ROOT,
    env: { NO_COLOR: "1", ...env },
  }).outputSync();
  const [out, err] = [stdout, stderr].map((bytes) => new TextDecoder().decode(bytes));
  return { code, stdout: out, stderr: err, output: out + err };
}

/** Runs tests/support/fill_program.ts on a driver. */
export function runFill(driver: string, flags: readonly string[] = []): Outcome {
  return runProgram("tests/support/fill_program.ts", [driver], { flags });
}
