import { walk } from "../../tools/walk.ts";
import { putPackage } from "./built.ts";

/**
 * The package as the registry would serve it, on loopback: lists of versions
 * and files with their checksums, and the files with the imports rewritten as
 * publishing rewrites them. `JSR_URL` leads Deno to it.
 */
export class Registry implements AsyncDisposable {
  readonly #folder: string;
  readonly #files: ReadonlyMap<string, Uint8Array<ArrayBuffer>>;
  readonly #answers: ReadonlyMap<string, string>;
  readonly #server: Deno.HttpServer<Deno.NetAddr>;

  private constructor(
    folder: string,
    files: ReadonlyMap<string, Uint8Array<ArrayBuffer>>,
    answers: Map<string, string>,
  ) {
    this.#folder = folder;
    this.#files = files;
    this.#answers = answers;
    this.#server = Deno.serve({ hostname: "127.0.0.1", port: 0, onListen() {} }, (request) => this.#answer(request));
  }

  /** Puts the package into a folder that is not there, and serves it. */
  static async open(folder: string): Promise<Registry> {
    await putPackage(folder);
    const { name, version, exports, imports } = JSON.parse(Deno.readTextFileSync(`${folder}/deno.json`));
    const files = new Map<string, Uint8Array<ArrayBuffer>>(), manifest: Record<string, unknown> = {};
    for (const path of walk(folder)) {
      const at = path.slice(folder.length), bytes = published(path, imports);
      files.set(`/${name}/${version}${at}`, bytes);
      manifest[at] = { size: bytes.length, checksum: `sha256-${await sha256(bytes)}` };
    }
    const [scope, own] = name.slice(1).split("/");
    const versions = { scope, name: own, latest: version, versions: { [version]: {} } };
    const answers = new Map([
      [`/${name}/meta.json`, JSON.stringify(versions)],
      [`/${name}/${version}_meta.json`, JSON.stringify({ manifest, exports })],
    ]);
    return new Registry(folder, files, answers);
  }

  /** The value of `JSR_URL`. */
  get url(): string {
    return `http://127.0.0.1:${this.#server.addr.port}/`;
  }

  /** The number of the package's files, and of their bytes. */
  get size(): { files: number; bytes: number } {
    return { files: this.#files.size, bytes: [...this.#files.values()].reduce((sum, { length }) => sum + length, 0) };
  }

  /** Ends the server, and removes the package. */
  async [Symbol.asyncDispose](): Promise<void> {
    await this.#server.shutdown();
    await Deno.remove(this.#folder, { recursive: true });
  }

  #answer(request: Request): Response {
    const path = decodeURIComponent(new URL(request.url).pathname), json = this.#answers.get(path);
    if (json) return new Response(json, { headers: { "content-type": "application/json" } });
    const file = this.#files.get(path);
    return file ? new Response(file) : new Response(null, { status: 404 });
  }
}

/** A file as it is published: names of the import map are replaced by what they stand for. */
function published(path: string, imports: Readonly<Record<string, string>>): Uint8Array<ArrayBuffer> {
  const bytes = Deno.readFileSync(path);
  if (!/\.[jt]s$/.test(path)) return bytes;
  let text = new TextDecoder().decode(bytes);
  for (const [name, target] of Object.entries(imports)) {
    text = text.replaceAll(new RegExp(`(\\bfrom |\\bimport |\\bimport\\()"${name}"`, "g"), `$1"${target}"`);
  }
  return new TextEncoder().encode(text);
}

async function sha256(bytes: Uint8Array<ArrayBuffer>): Promise<string> {
  const digest = new Uint8Array(await crypto.subtle.digest("SHA-256", bytes));
  return Array.from(digest, (byte) => byte.toString(16).padStart(2, "0")).join("");
}
