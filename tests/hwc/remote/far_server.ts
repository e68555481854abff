/**
 * A composer in a process of its own, and a way to tell it what a test wants to
 * happen there.
 *
 * @module
 */
import type { ReferenceControls } from "../../../hwc/core/controls.ts";
import type { ReferenceComposerOptions } from "../../../hwc/core/options.ts";
import { ControlLine } from "./control_line.ts";

const ROOT = decodeURIComponent(new URL("../../../", import.meta.url).pathname);

/** The process; its composer is served at a path when it is told to. */
export class FarServer {
  /** The path at which composers are served. */
  readonly path: string;
  /** The process's number. */
  readonly pid: number;
  readonly #process: Deno.ChildProcess;
  readonly #line: ControlLine;
  readonly #folder = Deno.makeTempDirSync();

  /** Starts a program, with the one permission that serving needs. */
  constructor(program = "tests/hwc/remote/server_program.ts") {
    this.path = `${this.#folder}/composer`;
    let process: Deno.ChildProcess | undefined;
    this.#line = ControlLine.start(`${this.#folder}/control`, (control) => {
      const preload = `--preload=${ROOT}tests/support/preload.ts`;
      const args = ["run", "--quiet", "--no-prompt", "--no-check", "--allow-ffi", preload];
      process = new Deno.Command(Deno.execPath(), {
        args: [...args, `--import-map=${ROOT}tools/offline_import_map.json`, ROOT + program, control],
        cwd: ROOT,
        stdin: "null",
      }).spawn();
    });
    this.#process = process!;
    this.pid = this.#process.pid;
  }

  /** Serves a composer, if wanted behind hwcomposer2.h. Composition has the rule. */
  serve(options: ReferenceComposerOptions, rule = "round-once", isNative = false, takesAnyFence = true): void {
    this.#line.call("serve", this.path, options, rule, isNative, takesAnyFence);
  }

  /** Ends what is served. */
  end(): void {
    this.#line.call("end");
  }

  /** The composer's controls; those that take or give what cannot be sent are left out. */
  get controls(): ReferenceControls {
    return new Proxy({} as ReferenceControls, {
      get: (_, name) => (...args: unknown[]) => this.#line.call(String(name), ...args),
    });
  }

  /** Calls one of the program's functions. */
  call(name: string, ...args: unknown[]): unknown {
    return this.#line.call(name, ...args);
  }

  /** Kills the process, as nothing can be caught, and waits until it has ended. */
  async kill(): Promise<void> {
    this.#process.kill("SIGKILL");
    await this.close();
  }

  /** Ends the process. */
  async close(): Promise<void> {
    this.#line.close();
    Deno.removeSync(this.#folder, { recursive: true }); // at once: it may be the last that this process does
    await this.#process.status;
  }
}
