import { xvfbPath } from "../../tools/setup/parts.ts";

/** A running X server. */
export interface XServer extends AsyncDisposable {
  /** The value of `DISPLAY` for programs. */
  readonly display: string;
}

/**
 * Starts an X server that shows nothing, on a display of its own choice; it ends with an `await using` scope. It does
 * not begin anew when its last client goes: it would drop a program that connects at that moment.
 */
export async function startXServer(screen = "640x480x24", more: readonly string[] = []): Promise<XServer> {
  const server = new Deno.Command(xvfbPath()!, {
    args: ["-displayfd", "1", "-screen", "0", screen, "-nolisten", "tcp", "-noreset", ...more],
    stdout: "piped",
    stderr: "null",
  }).spawn();
  const reader = server.stdout.getReader();
  const { value } = await reader.read(); // its number, once it is ready
  const stop = async () => {
    server.kill();
    await reader.cancel();
    await server.status;
  };
  if (value) return { display: `:${new TextDecoder().decode(value).trim()}`, [Symbol.asyncDispose]: stop };
  await stop();
  throw new Error("Cannot start an X server: Xvfb ended at once; see what it says when started by hand");
}
