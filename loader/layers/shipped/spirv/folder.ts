import { NativeFile } from "../native/file.ts";
import { sha256 } from "../native/sha256.ts";

/** SPIR-V that was saved. */
export interface SavedShader {
  /** SHA-256 of its bytes, as the machine stores them; the file is named after it. */
  readonly hash: string;
  /** The file. */
  readonly path: string;
  /** How many words it has. */
  readonly words: number;
  /** The command that it was first seen in. */
  readonly command: string;
  /** The hash of what the driver got in its place, when it was last seen; `undefined` for itself. */
  replacedBy?: string;
}

/** The files of a folder, one for each SPIR-V. */
export class ShaderFolder {
  /** What is there, in the order in which it was seen. */
  readonly shaders = new Map<string, SavedShader>();
  /** What went wrong in writing. */
  error: unknown;
  readonly #folder: string;
  readonly #disassembled = new Set<string>();

  /** Makes the folder, which also has Deno say whether the program may write there. */
  constructor(folder: string) {
    Deno.mkdirSync(folder, { recursive: true });
    this.#folder = folder;
  }

  /** Saves SPIR-V that is not there yet. */
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

  /** Disassembles what was not yet, beside it; returns the paths. Nothing happens where there is no spirv-dis. */
  disassemble(): string[] {
    return [...this.shaders.values()].filter(({ hash }) => !this.#disassembled.has(hash)).flatMap(({ hash, path }) => {
      const text = path.replace(/spv$/, "spvasm");
      if (!runDisassembler(path, text)) return [];
      this.#disassembled.add(hash);
      return [text];
    });
  }
}

/** Whether spirv-dis is there and could make text of a file. */
function runDisassembler(from: string, to: string): boolean {
  try {
    return new Deno.Command("spirv-dis", { args: [from, "-o", to], stderr: "null" }).outputSync().success;
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return false;
    throw error;
  }
}
