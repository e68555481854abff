import { NativeFile } from "../../../loader/layers/shipped/native/file.ts";
import { sha256 } from "../../../loader/layers/shipped/native/sha256.ts";
import { traceBytes } from "../../../loader/layers/shipped/trace/value.ts";

/** The most bytes that a line itself holds. */
const FEW = 64;

/** The folder beside a recording for bytes that would make its lines long, with one file for each content. */
export class Sidecar {
  readonly #folder: string;
  readonly #saved = new Set<string>();

  /** Makes the folder. Deno checks the permission to write while doing so. */
  constructor(path: string) {
    this.#folder = sidecarOf(path);
    Deno.mkdirSync(this.#folder, { recursive: true });
  }

  /** Removes the folder, unless an earlier recording has files there. */
  removeEmpty(): void {
    try {
      Deno.removeSync(this.#folder);
    } catch {
      // an earlier recording's files are no part of this one
    }
  }

  /** Returns the line's form of bytes. Many bytes are saved in a file. Throws an `Error` if the system refuses. */
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

/** Returns the folder beside a recording, packed or not. */
export function sidecarOf(path: string): string {
  return `${path.replace(/\.gz$/, "")}.data`;
}
