/** The end of a program. */
export interface Ending {
  /** Whether the exit status was 0. */
  success: boolean;
  /** Standard output, trimmed. */
  output: string;
  /** Standard error, trimmed. */
  error: string;
}

/** The options of {@linkcode runQuietly}. */
export interface RunOptions {
  /** The folder to run in. */
  cwd?: string;
  /** Variables on top of those of this process. */
  env?: Record<string, string>;
  /** Receives each line of standard output while the program runs. */
  onLine?: (line: string) => void;
}

/** Runs a program to its end, silently. A program that cannot be started ends without success. */
export async function runQuietly(program: string, args: string[], options: RunOptions = {}): Promise<Ending> {
  const { onLine = () => {}, ...rest } = options;
  try {
    const command = new Deno.Command(program, {
      args,
      ...rest,
      env: { NO_COLOR: "1", ...options.env },
      stdin: "null",
      stdout: "piped",
      stderr: "piped",
    });
    const child = command.spawn();
    const streams = [linesOf(child.stdout, onLine), linesOf(child.stderr, () => {})];
    const [output, error] = await Promise.all(streams);
    return { success: (await child.status).success, output, error };
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

/** Reads a stream to its end, handing out its whole lines on the way; answers all of it, trimmed. */
export async function linesOf(stream: ReadableStream<Uint8Array>, onLine: (line: string) => void): Promise<string> {
  const decoder = new TextDecoder();
  let text = "", told = 0;
  for await (const bytes of stream) {
    text += decoder.decode(bytes, { stream: true });
    for (let end = text.indexOf("\n", told); end >= 0; end = text.indexOf("\n", told)) {
      onLine(text.slice(told, end));
      told = end + 1;
    }
  }
  return text.trim();
}
