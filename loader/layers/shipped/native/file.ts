import { arena, inFrame } from "../../../../ffi/arena.ts";
import { libcAddress } from "../../../../ffi/libc.ts";
import { invokeAddress } from "../../../../ffi/machine.ts";
import { writeText } from "../../../codec/values/memory.ts";

/** `-rw-r--r--` */
const MODE = 0o644;
/** The most UTF-16 units or bytes that go through the arena at a time. */
const PART = 1 << 16;

/** Addresses of functions of the C library. */
interface Functions {
  readonly creat: bigint;
  readonly write: bigint;
  readonly close: bigint;
  readonly ftruncate: bigint;
  readonly lseek: bigint;
}

let functions: Functions | undefined;

/** Finds the functions that {@linkcode NativeFile} calls. Call this function once, outside callbacks. */
export function prepareFiles(): void {
  functions ??= {
    creat: libcAddress("creat"),
    write: libcAddress("write"),
    close: libcAddress("close"),
    ftruncate: libcAddress("ftruncate"),
    lseek: libcAddress("lseek"),
  };
}

/**
 * A file that may be written while Deno itself calls Vulkan, when Deno's own
 * files must not be used. Code that makes one must first check Deno's
 * permission to write.
 */
export class NativeFile implements Disposable {
  /** The file's path. */
  readonly path: string;
  #descriptor: number;
  #size = 0;

  /** Creates the file, or empties an existing one. Throws an `Error` if the system refuses. */
  constructor(path: string) {
    this.path = path;
    this.#descriptor = inFrame((memory) => {
      const name = memory.address(writeText(memory, path));
      return invokeAddress(functions!.creat, "s:qw", [name, MODE]) as number; // int creat(const char *, mode_t)
    });
    if (this.#descriptor < 0) throw new Error(`Cannot write "${path}": the system refused; check folder and rights`);
  }

  /**
   * Writes text as UTF-8. The system has the text when this method returns.
   * Throws an `Error` if the system refuses.
   */
  writeText(text: string): void {
    for (let at = 0; at < text.length;) {
      let end = Math.min(at + PART, text.length);
      if (isHighSurrogate(text.charCodeAt(end - 1)) && end < text.length) end--;
      inFrame((memory) => {
        const offset = writeText(memory, text.slice(at, end));
        this.#writeArena(offset, memory.bytes.indexOf(0, offset) - offset);
      });
      at = end;
    }
  }

  /** Writes bytes. Throws an `Error` if the system refuses. */
  write(bytes: Uint8Array): void {
    for (let at = 0; at < bytes.length; at += PART) {
      inFrame((memory) => {
        const part = bytes.subarray(at, at + PART);
        const offset = memory.alloc(part.length);
        memory.bytes.set(part, offset);
        this.#writeArena(offset, part.length);
      });
    }
  }

  /** The number of bytes written. */
  get size(): number {
    return this.#size;
  }

  /** Removes what was written behind so many bytes. Returns whether the file can do that; a pipe cannot. */
  cutTo(size: number): boolean {
    const length = BigInt(size);
    // int ftruncate(int, off_t); off_t lseek(int, off_t, int)
    if (invokeAddress(functions!.ftruncate, "s:sq", [this.#descriptor, length]) !== 0) return false;
    invokeAddress(functions!.lseek, "q:sqs", [this.#descriptor, length, 0]);
    this.#size = size;
    return true;
  }

  #writeArena(offset: number, size: number): void {
    const memory = arena();
    for (let done = 0; done < size;) {
      const count = BigInt(size - done), from = memory.address(offset + done);
      // ssize_t write(int, const void *, size_t)
      const written = Number(
        BigInt.asIntN(64, invokeAddress(functions!.write, "q:sqq", [this.#descriptor, from, count]) as bigint),
      );
      if (written <= 0) throw new Error(`Cannot write on to "${this.path}": the system refused; is the disk full?`);
      done += written;
      this.#size += written;
    }
  }

  /** Closes the file. A second call does nothing. */
  close(): void {
    if (this.#descriptor >= 0) invokeAddress(functions!.close, "s:s", [this.#descriptor]);
    this.#descriptor = -1;
  }

  /** Closes the file at the end of a `using` scope. */
  [Symbol.dispose](): void {
    this.close();
  }
}

/**
 * Makes a file after Deno has checked the permission to write, which the C library does not know. `option` names what
 * gave the path, such as `apiTrace({ path })`.
 *
 * @throws {Deno.errors.NotCapable} without the permission; the message names the option and the flag of Deno.
 */
export function newFile(path: string, option: string): NativeFile {
  try {
    // A pipe is opened once, because its reader takes the first close for the end.
    if (Deno.permissions.querySync({ name: "write", path }).state === "granted") return new NativeFile(path);
  } catch {
    // Deno tells the reason better than the C library
  }
  try {
    Deno.openSync(path, { write: true, create: true }).close();
  } catch (error) {
    if (!(error instanceof Deno.errors.NotCapable)) throw error;
    const advice = `run Deno with --allow-write=${path}`;
    throw new Deno.errors.NotCapable(`Cannot write "${path}" of ${option}: no permission; ${advice}`, { cause: error });
  }
  return new NativeFile(path);
}

function isHighSurrogate(unit: number): boolean {
  return unit >= 0xd800 && unit < 0xdc00;
}
