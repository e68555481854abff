import { main } from "../../cli.ts";

/** Runs a command line in this process: the exit code, what it printed, and of that what went to standard output. */
export async function commandLine(...args: string[]): Promise<{ code: number; text: string; stdout: string }> {
  const lines: string[] = [], out: string[] = [];
  const print = (text: string) => void (lines.push(text), out.push(text));
  const code = await main(args, print, { warn: (text) => lines.push(text) });
  return { code, text: lines.join("\n"), stdout: out.join("\n") };
}
