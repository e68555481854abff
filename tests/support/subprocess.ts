/**
 * Runs a program of this project in a process of its own, for what a process
 * is given once: V8 flags, environment, permissions, an exit code.
 *
 * @module
 */

const ROOT = decodeURIComponent(new URL("../../", import.meta.url).pathname);
const IMPORT_MAP = `--import-map=${ROOT}tools/offline_import_map.json`;

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

/** Runs `deno run` with flags, a path below the project's root, and arguments. */
export function runProgram(
  path: string,
  args: readonly string[],
  { flags = [], env = {} }: { flags?: readonly string[]; env?: Record<string, string> } = {},
): Outcome {
  const permissions = ["ffi", "read", "write", "env", "run"].map((name) => `--allow-${name}`);
  return runDeno(["run", "--no-prompt", ...permissions, IMPORT_MAP, ...flags, `${ROOT}${path}`, ...args], env);
}

/** Runs `deno test` with these arguments, without checking types again. */
export function runTests(args: readonly string[]): Outcome {
  return runDeno(["test", "-P", "--no-check", IMPORT_MAP, ...args], {});
}

/** Runs this very Deno (in an emulator, what stands for it) in the project's root, coloured output off. */
function runDeno(args: readonly string[], env: Record<string, string>): Outcome {
  const { code, stdout, stderr } = new Deno.Command(Deno.env.get("PUMICE_DENO") ?? Deno.execPath(), {
    args: [...args],
    cwd: ROOT,
    env: { NO_COLOR: "1", ...env },
  }).outputSync();
  const [out, err] = [stdout, stderr].map((bytes) => new TextDecoder().decode(bytes));
  return { code, stdout: out, stderr: err, output: out + err };
}
