import { westonPath } from "../../tools/setup/parts.ts";

/** A running Wayland server. */
export interface WaylandServer extends AsyncDisposable {
  /** The variables that programs are to find in their environment. */
  readonly env: Readonly<Record<string, string>>;
}

const SOCKET = "pumice";

/** Starts a Wayland server that shows nothing, with a folder of its own; it ends with an `await using` scope. */
export async function startWaylandServer(): Promise<WaylandServer> {
  const folder = Deno.makeTempDirSync(), env = { XDG_RUNTIME_DIR: folder, WAYLAND_DISPLAY: SOCKET };
  const server = new Deno.Command(westonPath()!, {
    args: ["--backend=headless-backend.so", `--socket=${SOCKET}`, "--no-config", "--idle-time=0"],
    env: { ...env, DISPLAY: "" },
    stdout: "null",
    stderr: "piped",
  }).spawn();
  const log = server.stderr.pipeThrough(new TextDecoderStream()).getReader();
  const stop = async () => {
    server.kill();
    await log.cancel();
    await server.status;
    Deno.removeSync(folder, { recursive: true });
  };
  for (let text = ""; !text.includes("launching");) { // it does so once clients may connect
    const { value, done } = await log.read();
    text += value ?? "";
    if (!done) continue;
    await stop();
    throw new Error(`Cannot start a Wayland server: weston ended at once; it said ${text}`);
  }
  return { env, [Symbol.asyncDispose]: stop };
}
