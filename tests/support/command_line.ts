import { main } from "../../cli.ts";

/** Runs a command line in this process: the exit code and what it printed. */
export async function commandLine(...args: string[]): Promise<{ code: number; text: string }> {
  const lines: string[] = [];
  const code = await main(args, (text) => lines.push(text));
  return { code, text: lines.join("\n") };
}
