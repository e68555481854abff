import { NativeFile } from "../native/file.ts";
import { sha256 } from "../native/sha256.ts";

/** A saved shader. */
export interface SavedShader {
  /** SHA-256 of the bytes in the machine's byte order. The file is named after it. */
  readonly hash: string;
  /** The file. */
  readonly path: string;
  /** The size of the code in words of 32 bits. */
  readonly words: number;
  /** The command in which the shader was first seen. */
  readonly command: string;
  /** The hash of the replacement that the driver got when the shader was last seen; `undefined` if there was none. */
  replacedBy?: string;
}

/** The files of a folder, one for each shader. */
export class ShaderFolder {
  /** The shaders in the order in which they were first seen. */
  readonly shaders: Map<string, SavedShader> = new Map();
  /** The error of a failed write. */
  error: unknown;
  readonly #folder: string;
  readonly #disassembled = new Set<string>();

  /** Makes the folder. Deno checks the permission to write while doing so. */
  constructor(folder: string) {
    Deno.mkdirSync(folder, { recursive: true });
    this.#folder = folder;
  }

  /** Saves a new shader. */
  save(words: Uint32Array, command: string): SavedShader {
    const bytes = new Uint8Array(words.buffer, words.byteOffset, words.byteLength), hash = sha256(bytes);
    let shader = this.shaders.get(hash);
    if (shader) return shader;
    shader = { hash, path: `${this.#folder}/${hash}.spv`, words: words.length, command };
    this.shaders.set(hash, shader);
    try {
      using file = new NativeFile(shader.path);
      file.write(bytes);
    } catch (error) {
      this.error ??= error;
    }
    return shader;
  }

  /**
   * Disassembles the shaders that have no text yet, into files beside them.
   * Returns the paths. Does nothing without spirv-dis.
   */
  disassemble(): string[] {
    return [...this.shaders.values()].filter(({ hash }) => !this.#disassembled.has(hash)).flatMap(({ hash, path }) => {
      const text = path.replace(/spv$/, "spvasm");
      if (!runDisassembler(path, text)) return [];
      this.#disassembled.add(hash);
      return [text];
    });
  }
}

/** Whether spirv-dis is installed and could disassemble a file. */
function runDisassembler(from: string, to: string): boolean {
  try {
    return new Deno.Command("spirv-dis", { args: [from, "-o", to], stderr: "null" }).outputSync().success;
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return false;
    throw error;
  }
}
