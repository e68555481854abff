const ROOT = decodeURIComponent(new URL("../../../", import.meta.url).pathname);

/** A client in a process of its own that has come as far as it says: see client_program.ts. */
export class FarClient {
  readonly #process: Deno.ChildProcess;

  private constructor(process: Deno.ChildProcess) {
    this.#process = process;
  }

  /** Starts one, and waits until it has done what it is to do. */
  static async start(path: string, what: string): Promise<FarClient> {
    const args = ["run", "--quiet", "--no-prompt", "--no-check", "--allow-ffi"];
    const process = new Deno.Command(Deno.execPath(), {
      args: [
        ...args,
        `--import-map=${ROOT}tools/offline_import_map.json`,
        `${ROOT}tests/hwc/remote/client_program.ts`,
        path,
        what,
      ],
      cwd: ROOT,
      stdin: "null",
      stdout: "piped",
    }).spawn();
    const client = new FarClient(process), reader = process.stdout.getReader();
    let said = "";
    while (!said.includes("\n")) {
      const { value, done } = await reader.read();
      if (done) throw new Error(`the client ended before it had done "${what}"`);
      said += new TextDecoder().decode(value);
    }
    reader.releaseLock();
    return client;
  }

  /** Waits until it has ended by itself; its exit code. */
  async ended(): Promise<number> {
    await this.#process.stdout.cancel();
    return (await this.#process.status).code;
  }

  /** Kills it, as nothing can be caught, and waits until it has ended. */
  async kill(): Promise<void> {
    this.#process.kill("SIGKILL");
    await this.ended();
  }
}
