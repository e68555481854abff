/** How a program ended. */
export interface Ending {
  /** Whether the exit status was 0. */
  success: boolean;
  /** Standard output, trimmed. */
  output: string;
  /** Standard error, trimmed. */
  error: string;
}

/** Runs a program to its end, silently. A program that cannot be started ends without success. */
export async function runQuietly(
  program: string,
  args: string[],
  options: { cwd?: string; env?: Record<string, string> } = {},
): Promise<Ending> {
  const decoder = new TextDecoder();
  try {
    const command = new Deno.Command(program, {
      args,
      ...options,
      env: { NO_COLOR: "1", ...options.env },
      stdin: "null",
      stdout: "piped",
      stderr: "piped",
    });
    const { success, stdout, stderr } = await command.output();
    return { success, output: decoder.decode(stdout).trim(), error: decoder.decode(stderr).trim() };
  } catch (error) {
    return { success: false, output: "", error: error instanceof Error ? error.message : String(error) };
  }
}

/** The line in which a program said why it failed: the first that speaks of an error, or else the last one. */
export function lastWords(ending: Ending): string {
  const lines = `${ending.output}\n${ending.error}`.split("\n").map((line) => line.trim()).filter((line) =>
    line !== ""
  );
  return lines.find((line) => /error|^E: /i.test(line)) ?? lines.at(-1) ?? "no message";
}
