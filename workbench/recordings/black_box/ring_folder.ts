import { inFrame } from "../../../ffi/arena.ts";
import { libcAddress } from "../../../ffi/libc.ts";
import { invokeAddress } from "../../../ffi/machine.ts";
import { writeText } from "../../../loader/codec/values/memory.ts";
import { NativeFile } from "../../../loader/layers/shipped/native/file.ts";
import { traceBytes } from "../../../loader/layers/shipped/trace/value.ts";

/** The list of what a ring consists of now. Every change of the ring replaces this file at once. */
export interface RingManifest {
  /** The number of the program's process, whose memory has the marks. */
  readonly process: number;
  /** The file with the state before the first segment; absent if the segments begin with the program. */
  readonly state?: string;
  /** The files of lines, in order. */
  readonly segments: readonly string[];
  /** The files with the command buffers that the marks belong to, in the order of their submissions. */
  readonly submissions: readonly string[];
  /** Whether the layer was closed: the program did not end amid its work. */
  readonly closed: boolean;
}

/** The name of the manifest in the folder of a ring. */
export const MANIFEST = "ring.json";
/** The most bytes that a line itself holds. */
const FEW = 64;

/** Addresses of functions of the C library. */
interface Functions {
  readonly rename: bigint;
  readonly unlink: bigint;
}

/**
 * The files of a ring. Hooks write and remove them while Deno itself may be calling Vulkan, so that all changes are
 * made by the C library.
 */
export class RingFolder {
  /** The folder. */
  readonly path: string;
  readonly #call: Functions = { rename: libcAddress("rename"), unlink: libcAddress("unlink") };
  /** The bytes of the files of contents, by number. */
  readonly #sizes = new Map<number, number>();
  #number = 0;
  #bytes = 0;

  /** Takes a folder that is there. */
  constructor(path: string) {
    this.path = path;
  }

  /** Bytes of all contents that are kept. */
  get bytes(): number {
    return this.#bytes;
  }

  /** The number that the next contents get. */
  get next(): number {
    return this.#number;
  }

  /** Returns the line's form of bytes. Many bytes get a file with a number. Throws an `Error` if the system refuses. */
  put(content: ArrayBufferView): { bytes: string } | { data: string } {
    const bytes = new Uint8Array(content.buffer, content.byteOffset, content.byteLength);
    return bytes.length <= FEW ? traceBytes(bytes) as { bytes: string } : this.keep(bytes);
  }

  /** Gives bytes a file of their own. */
  keep(bytes: Uint8Array): { data: string } {
    const number = this.#number++;
    this.write(contentFile(number), (file) => file.write(bytes));
    this.#sizes.set(number, bytes.length);
    this.#bytes += bytes.length;
    return { data: `${number}` };
  }

  /** Returns how many bytes a line's form stands for. */
  sizeOf(content: { bytes?: string; data?: string }): number {
    return content.bytes === undefined ? this.#sizes.get(Number(content.data)) ?? 0 : content.bytes.length / 2;
  }

  /** Removes the contents below a number that are not needed. */
  sweep(below: number, needed: ReadonlySet<string>): void {
    for (const [number, size] of this.#sizes) {
      if (number >= below || needed.has(`${number}`)) continue;
      this.remove(contentFile(number));
      this.#sizes.delete(number);
      this.#bytes -= size;
    }
  }

  /** Writes a file at once. A file that is not whole is removed. */
  write(name: string, fill: (file: NativeFile) => void): void {
    using file = new NativeFile(`${this.path}/${name}`);
    try {
      fill(file);
    } catch (error) {
      this.remove(name);
      throw error;
    }
  }

  /** Replaces the manifest. Who reads it sees the old one or the new one. */
  describe(manifest: RingManifest): void {
    const draft = `${MANIFEST}.new`;
    this.write(draft, (file) => file.writeText(JSON.stringify(manifest)));
    this.#name(this.#call.rename, [draft, MANIFEST]);
  }

  /** Removes a file. A file that is not there stays away. */
  remove(name: string): void {
    this.#name(this.#call.unlink, [name]);
  }

  // int rename(const char *, const char *); int unlink(const char *)
  #name(address: bigint, names: readonly string[]): void {
    inFrame((memory) => {
      const paths = names.map((name) => memory.address(writeText(memory, `${this.path}/${name}`)));
      invokeAddress(address, `s:${"q".repeat(paths.length)}`, paths);
    });
  }
}

/** Returns the name of a file of contents. */
export function contentFile(number: number | string): string {
  return `content-${number}`;
}
