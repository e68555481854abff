import { putPackage } from "./built.ts";

const ROOT = decodeURIComponent(new URL("../../", import.meta.url).pathname);

/** The end of a program. */
export interface Ended {
  /** The exit code. */
  readonly code: number;
  /** All that it printed. */
  readonly output: string;
}

/** The package as it is published, served over HTTP to programs that find it there under its names. */
export class ServedPackage implements AsyncDisposable {
  /** The folder of the package. */
  readonly folder: string;
  /** The paths that were asked for since the last {@linkcode ServedPackage.forget}. */
  asked: string[] = [];
  readonly #server: Deno.HttpServer<Deno.NetAddr>;
  readonly #map: string;

  private constructor(folder: string, imports: Readonly<Record<string, string>>) {
    this.folder = folder;
    this.#server = Deno.serve({ hostname: "127.0.0.1", port: 0, onListen() {} }, (request) => this.#answer(request));
    const configuration = JSON.parse(Deno.readTextFileSync(`${folder}/package/deno.json`));
    const entries = Object.entries<string>(configuration.exports).map(([name, path]) => [
      `@pumice/gfx${name.slice(1)}`,
      `${this.address}${path.slice(2)}`,
    ]);
    this.#map = `${folder}/import_map.json`;
    Deno.writeTextFileSync(this.#map, JSON.stringify({ imports: { ...imports, ...Object.fromEntries(entries) } }));
  }

  /** Puts it into a folder that is empty, and serves it. */
  static async open(folder: string): Promise<ServedPackage> {
    await putPackage(`${folder}/package`);
    Deno.mkdirSync(`${folder}/cache`);
    const { stdout } = await new Deno.Command(Deno.execPath(), { args: ["info", "--json"] }).output();
    const { npmCache } = JSON.parse(new TextDecoder().decode(stdout));
    Deno.symlinkSync(npmCache, `${folder}/cache/npm`); // packages of others are there already, and stay
    const map = JSON.parse(Deno.readTextFileSync(`${ROOT}tools/offline_import_map.json`));
    return new ServedPackage(folder, { "fast-png": map.imports["fast-png"] });
  }

  /** The address of the package's root. */
  get address(): string {
    return `http://127.0.0.1:${this.#server.addr.port}/`;
  }

  /** The flags with which Deno's programs find the package. */
  get flags(): string[] {
    const from = `--allow-import=127.0.0.1:${this.#server.addr.port}`;
    return ["--no-config", from, `--import-map=${this.#map}`];
  }

  /** Deno's folder for what it loads: nothing that was loaded elsewhere is there. */
  get environment(): Readonly<Record<string, string>> {
    return { NO_COLOR: "1", DENO_DIR: `${this.folder}/cache` };
  }

  /** Runs `deno COMMAND FLAGS` on a program that is written beside nothing else; nothing that was loaded before is known. */
  async run(command: "run" | "check", program: string, flags: readonly string[] = [], env = {}): Promise<Ended> {
    this.asked = [];
    const path = `${this.folder}/program.ts`;
    Deno.writeTextFileSync(path, program);
    const args = [command, "--reload=http://127.0.0.1", ...this.flags, ...flags, path];
    const given = { args, env: { ...this.environment, ...env } };
    const { code, stdout, stderr } = await new Deno.Command(Deno.execPath(), given).output();
    return { code, output: [stdout, stderr].map((bytes) => new TextDecoder().decode(bytes)).join("") };
  }

  /** Ends the server. */
  async [Symbol.asyncDispose](): Promise<void> {
    await this.#server.shutdown();
  }

  async #answer(request: Request): Promise<Response> {
    const path = decodeURIComponent(new URL(request.url).pathname);
    this.asked.push(path);
    const type = path.endsWith(".ts") ? "application/typescript" : "text/javascript";
    try {
      return new Response(await Deno.readFile(`${this.folder}/package${path}`), { headers: { "content-type": type } });
    } catch {
      return new Response(null, { status: 404 });
    }
  }
}
