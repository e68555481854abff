import { NativeFile } from "../native/file.ts";
import { sha256 } from "../native/sha256.ts";
import { traceBytes } from "../trace/value.ts";

/** Bytes that a line itself has room for. */
const FEW = 64;

/** Where a recording keeps bytes that would make its lines long: a folder beside it, a file for each content. */
export class Sidecar {
  readonly #folder: string;
  readonly #saved = new Set<string>();

  /** Makes the folder, which also has Deno say whether the program may write there. */
  constructor(path: string) {
    this.#folder = sidecarOf(path);
    Deno.mkdirSync(this.#folder, { recursive: true });
  }

  /** What a line says of bytes, which are saved if they are many. Throws an `Error` when the system refuses. */
  put(content: ArrayBufferView): { bytes: string } | { data: string } {
    const bytes = new Uint8Array(content.buffer, content.byteOffset, content.byteLength);
    if (bytes.length <= FEW) return traceBytes(bytes) as { bytes: string };
    const hash = sha256(bytes);
    if (!this.#saved.has(hash)) {
      using file = new NativeFile(`${this.#folder}/${hash}`);
      file.write(bytes);
      this.#saved.add(hash);
    }
    return { data: hash };
  }
}

/** The folder beside a recording. */
export function sidecarOf(path: string): string {
  return `${path}.data`;
}
