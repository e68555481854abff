import { callback, checkOptions, oneOf, type OptionRules, text } from "../check_options.ts";
import { NativeError } from "../error.ts";
import { libc } from "../libc.ts";
import type { ImageFile } from "./image.ts";

/**
 * The way of the emitted image to the dynamic linker, best first: an anonymous
 * memory file; the same file, handed to Android's linker as a descriptor; a
 * temporary file; or not at all, so that every call goes through
 * `Deno.UnsafeFnPointer` (correct, but a hundred times slower).
 */
export type LoadMethod = "memfd" | "android" | "file" | "pointer";

/** Settings of {@linkcode configureImage}. */
export interface ImageOptions {
  /** The only load method to try. Default: the best one that works. */
  loadMethod?: LoadMethod;
  /** Called once, with a sentence, if a slower load method than usual is taken. Default: no messages. */
  log?: (message: string) => void;
  /** Library that exports `android_dlopen_ext`. Default `"libdl.so"`. */
  linker?: string;
}

const RULES: OptionRules<ImageOptions> = {
  loadMethod: oneOf("memfd", "android", "file", "pointer"),
  log: callback("takes a sentence"),
  linker: text("the path of a library"),
};

let options: ImageOptions = {};
let used = false;

/**
 * Chooses how emitted code is loaded. Call this function before the first
 * native call. Later calls throw, because loaded code cannot be moved.
 *
 * @example
 * ```ts ignore
 * import { configureImage } from "@pumice/gfx/ffi";
 *
 * configureImage({ loadMethod: "file", log: console.log }); // before the first native call
 * ```
 */
export function configureImage(settings: ImageOptions): void {
  checkOptions("configureImage()", settings, RULES);
  if (used && settings.loadMethod) {
    throw new TypeError(
      "Cannot choose the load method of the emitted image: it is loaded already; call configureImage() first",
    );
  }
  options = { ...options, ...settings };
}

/** Returns the settings in force. From then on the load method is fixed. */
function imageOptions(): Readonly<ImageOptions> {
  used = true;
  return options;
}

let said = false;

/** Reports once that a slower load method is taken, and why. */
function sayMethod(message: string): void {
  if (said) return;
  said = true;
  options.log?.(message);
}

/** A shared object that is loaded for the life of the process. */
export interface Loaded {
  /** The path under which `Deno.dlopen` finds the library. */
  readonly path: string;
  /** The dynamic linker's handle. */
  readonly handle: bigint;
}

const RTLD_NOW = 2;
const encoder = (text: string): Uint8Array<ArrayBuffer> => new TextEncoder().encode(text + "\0");

let settled: LoadMethod | undefined;

/** Loads a shared object by the best load method that works; `undefined` if none works. */
export function loadImage(file: ImageFile): Loaded | undefined {
  const wanted = settled ?? imageOptions().loadMethod;
  const methods: LoadMethod[] = wanted ? [wanted] : usualMethods();
  const reasons: string[] = [];
  for (const loadMethod of methods) {
    const loaded = loadMethod === "pointer" ? undefined : attempt(loadMethod, file, reasons);
    if (!loaded && loadMethod !== "pointer") continue;
    settled = loadMethod;
    if (reasons.length > 0) sayMethod(explain(loadMethod, reasons));
    return loaded;
  }
  throw new NativeError(
    "load-failed",
    `Cannot load emitted code by the load method "${wanted}": ${reasons.join("; ")}`,
  );
}

/** Closes a shared object, which has this address. Returns `false` if others hold it, so that it stays loaded. */
export function unloadImage(loaded: Loaded, address: bigint): boolean {
  libc().dlclose(loaded.handle);
  return !isLoaded(loaded, address);
}

/** Opens a closed shared object again, which had this address. Returns `false` if it is no longer loaded. */
export function reloadImage(loaded: Loaded, address: bigint): boolean {
  return isLoaded(loaded, address) && libc().dlopen(encoder(loaded.path), RTLD_NOW) !== 0n;
}

/**
 * Whether the object is still loaded. The linker opens and reads a path that it does not know, and the number in the
 * path may be another file's by now, such as a pipe's or a card's, whose reading never ends: it is asked for the path of
 * the address instead. On Android the path is a name, which no file has.
 */
function isLoaded({ path, handle }: Loaded, address: bigint): boolean {
  const RTLD_NOLOAD = 4;
  if (path.startsWith("/")) return pathAt(address) === path;
  const found = libc().dlopen(encoder(path), RTLD_NOW | RTLD_NOLOAD);
  if (found !== 0n) libc().dlclose(found);
  return found === handle;
}

/** The path of the shared object that has an address; `undefined` if none has. */
function pathAt(address: bigint): string | undefined {
  const info = new Uint8Array(32); // Dl_info: the path, the begin, a symbol's name and address
  if (libc().dladdr(address, info) === 0) return undefined;
  const path = new DataView(info.buffer).getBigUint64(0, true);
  return Deno.UnsafePointerView.getCString(Deno.UnsafePointer.create(path)!);
}

function usualMethods(): LoadMethod[] {
  return Deno.build.os === "android" ? ["android", "file", "pointer"] : ["memfd", "file", "pointer"];
}

function explain(loadMethod: LoadMethod, reasons: string[]): string {
  return loadMethod === "pointer"
    ? `Calls are slow: emitted code cannot be loaded (${reasons.join("; ")}), so Deno.UnsafeFnPointer is used`
    : `Emitted code is loaded from a temporary file (${reasons.join("; ")})`;
}

function attempt(loadMethod: LoadMethod, file: ImageFile, reasons: string[]): Loaded | undefined {
  try {
    if (loadMethod === "file") return loadFile(file);
    const fd = memoryFile(file.soname);
    try {
      writeImage(fd, file);
      return loadMethod === "android" ? loadDescriptor(fd, file.soname) : open(ownPath(fd));
    } finally {
      libc().close(fd);
    }
  } catch (error) {
    if (!(error instanceof NativeError)) throw error;
    reasons.push(error.message);
  }
}

/**
 * Returns a path of an open file that no other image has. The linker returns a
 * loaded image for the same path, and numbers of closed files are used again.
 * The paths therefore differ in characters that the system ignores.
 */
function ownPath(fd: number): string {
  const bits = Math.floor(Math.random() * 2 ** 48).toString(2);
  return `/proc/self/fd${bits.replaceAll("0", "/").replaceAll("1", "/.")}/${fd}`;
}

/** An empty memory file. */
function memoryFile(name: string): number {
  const MFD_CLOEXEC = 1, MFD_EXEC = 16;
  let fd = libc().memfd_create(encoder(name), MFD_CLOEXEC | MFD_EXEC);
  if (fd < 0) fd = libc().memfd_create(encoder(name), MFD_CLOEXEC); // kernels before 6.3 know no MFD_EXEC
  if (fd < 0) throw new NativeError("permission", "memfd_create is refused");
  return fd;
}

/** Writes both parts of the file. Between them, the system keeps no memory for zeros. */
function writeImage(fd: number, { head, tail, tailAt }: ImageFile): void {
  const SEEK_SET = 0;
  writeAll(fd, head);
  libc().lseek(fd, BigInt(tailAt), SEEK_SET);
  writeAll(fd, tail);
}

function writeAll(fd: number, bytes: Uint8Array<ArrayBuffer>): void {
  for (let at = 0; at < bytes.length;) {
    const written = Number(libc().write(fd, bytes.subarray(at), BigInt(bytes.length - at)));
    if (written <= 0) throw new NativeError("load-failed", `only ${at} of ${bytes.length} bytes could be written`);
    at += written;
  }
}

function loadFile(file: ImageFile): Loaded {
  for (const folder of ["/dev/shm", "/tmp", "/data/local/tmp", "."]) {
    const template = encoder(`${folder}/pumice-XXXXXX`);
    const fd = libc().mkstemp(template);
    if (fd < 0) continue;
    try {
      writeImage(fd, file);
      // Later calls of dlopen with the same path find the library by name, without the file.
      return open(new TextDecoder().decode(template.subarray(0, -1)));
    } catch (error) {
      if (!(error instanceof NativeError)) throw error; // mounted noexec, or full: try the next folder
    } finally {
      libc().close(fd);
      libc().unlink(template);
    }
  }
  throw new NativeError("permission", "no folder takes an executable temporary file");
}

/** Android forbids apps to open a memory file by path, but accepts a file descriptor. */
function loadDescriptor(fd: number, soname: string): Loaded {
  const USE_LIBRARY_FD = 0x10n;
  const info = new DataView(new ArrayBuffer(48)); // android_dlextinfo
  info.setBigUint64(0, USE_LIBRARY_FD, true);
  info.setInt32(24, -1, true); // relro_fd
  info.setInt32(28, fd, true); // library_fd
  const name = imageOptions().linker ?? "libdl.so";
  const linker = Deno.dlopen(name, { android_dlopen_ext: { type: "pointer" } });
  const open = new Deno.UnsafeFnPointer(linker.symbols.android_dlopen_ext as Deno.PointerObject<never>, {
    parameters: ["buffer", "i32", "buffer"], // void *android_dlopen_ext(const char *, int, const android_dlextinfo *)
    result: "u64",
  });
  const handle = open.call(encoder(soname), RTLD_NOW, info.buffer);
  linker.close();
  if (handle === 0n) throw new NativeError("load-failed", linkerMessage());
  return { path: soname, handle }; // found later by its soname
}

function open(path: string): Loaded {
  const handle = libc().dlopen(encoder(path), RTLD_NOW);
  if (handle === 0n) throw new NativeError("load-failed", linkerMessage());
  return { path, handle };
}

/** The dynamic linker's message about its last failure. */
export function linkerMessage(): string {
  const message = libc().dlerror();
  return message === 0n ? "no reason given" : Deno.UnsafePointerView.getCString(Deno.UnsafePointer.create(message)!);
}
