import type { Comparison } from "./measure.ts";

/**
 * Measures something in a process of its own, where this loader is installed in
 * the place of the system's: "call" is an exported command of this loader and
 * the system's, called from C; "layer" is a command with a TypeScript layer on
 * it and without, called from C; "mixed" is many of them in random order;
 * "device" and "instance" are all device commands asked for from C, of this
 * loader and the system's; "startup" is an instance and a device made from C by
 * both, each of which looks for the driver.
 */
export function measureNative(
  what: "call" | "layer" | "mixed" | "device" | "instance" | "startup",
  driver: string,
): Comparison {
  return runBench("native_program.ts", what, driver) as Comparison;
}

/** Returns the output of a program of the benchmarks, run in a process of its own. Throws if the program fails. */
export function runBench(program: string, ...args: string[]): unknown {
  const permissions = ["ffi", "read", "write", "env", "run"].map((name) => `--allow-${name}`);
  const path = new URL(program, import.meta.url).pathname;
  const { success, stdout } = new Deno.Command(Deno.execPath(), {
    args: ["run", "--no-check", "--no-prompt", ...permissions, path, ...args],
    stderr: "inherit",
  }).outputSync();
  if (!success) throw new Error(`Cannot measure "${args[0] ?? program}": bench/${program} failed`);
  return JSON.parse(new TextDecoder().decode(stdout));
}
