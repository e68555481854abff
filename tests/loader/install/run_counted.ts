import { assertEquals } from "@std/assert";
import { runProgram } from "../../support/subprocess.ts";

/** The report of a program of `programs/`, beside what is its own. */
export interface CountedReport extends Record<string, unknown> {
  /** The number of its mappings of files named like a Vulkan loader. */
  readonly mapped: number;
  /** The number of calls of each command. */
  readonly counts: Record<string, number>;
}

/** Seconds after which a program hangs. */
const MOST_SECONDS = 100;

/** Runs a program of `programs/` and returns its report, the last line that it printed. Fails the test if it failed. */
export function runCounted(
  name: string,
  args: readonly string[],
  options: { flags?: readonly string[]; env?: Record<string, string>; seconds?: number } = {},
): CountedReport {
  const { code, stdout, output } = runProgram(`tests/loader/install/programs/${name}.ts`, args, {
    seconds: MOST_SECONDS,
    ...options,
  });
  assertEquals(code, 0, `${name}: ${output}`);
  return JSON.parse(stdout.trim().split("\n").at(-1)!);
}
