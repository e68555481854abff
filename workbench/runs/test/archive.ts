import { gunzipSync, gzipSync } from "node:zlib";
import { dirname, join } from "node:path";

/** A file of an archive. */
export interface ArchivedFile {
  /** The path below the folder in which the archive is unpacked. */
  readonly path: string;
  /** The contents. */
  readonly bytes: Uint8Array;
}

/** A file as the archive has it: texts as they are, since those are small when compressed. */
interface StoredFile {
  readonly path: string;
  readonly text?: string;
  readonly base64?: string;
}

/** The most bytes of the files of an archive. */
const LARGEST = 1 << 30;

/** Puts files into one piece of data: compressed JSON. The same files give the same bytes. */
export function pack(files: readonly ArchivedFile[]): Uint8Array {
  const sorted = files.toSorted((one, other) => one.path < other.path ? -1 : Number(one.path > other.path));
  return new Uint8Array(gzipSync(JSON.stringify(sorted.map(stored))));
}

/** Reads what {@linkcode pack} made. Throws a `TypeError` for anything else, and for a path that leads elsewhere. */
export function unpack(bytes: Uint8Array): ArchivedFile[] {
  const files = read(bytes);
  for (const { path } of files) {
    if (!isBelow(path)) throw new TypeError(`Cannot unpack "${path}": the path leads out of the folder`);
  }
  return files.map(({ path, text, base64 }) => ({
    path,
    bytes: text === undefined ? Uint8Array.fromBase64(base64!) : new TextEncoder().encode(text),
  }));
}

/** Writes the files of an archive below a folder. */
export function writeFiles(folder: string, files: readonly ArchivedFile[]): void {
  for (const { path, bytes } of files) {
    Deno.mkdirSync(dirname(join(folder, path)), { recursive: true });
    Deno.writeFileSync(join(folder, path), bytes);
  }
}

/** The hash of data, SHA-256 in hexadecimal digits. */
export async function hashOf(bytes: Uint8Array): Promise<string> {
  return new Uint8Array(await crypto.subtle.digest("SHA-256", bytes as Uint8Array<ArrayBuffer>)).toHex();
}

/** Whether a relative path stays below the folder that it begins at. */
export function isBelow(path: string): boolean {
  return path !== "" && !path.startsWith("/") && !path.includes("\0") &&
    path.split("/").every((part) => part !== "" && part !== "." && part !== "..");
}

function stored({ path, bytes }: ArchivedFile): StoredFile {
  try {
    return { path, text: new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes) };
  } catch {
    return { path, base64: bytes.toBase64() };
  }
}

function read(bytes: Uint8Array): StoredFile[] {
  try {
    const files: unknown = JSON.parse(new TextDecoder().decode(gunzipSync(bytes, { maxOutputLength: LARGEST })));
    if (Array.isArray(files) && files.every(isStored)) return files;
  } catch (error) {
    throw new TypeError(`Cannot unpack ${bytes.length} bytes: ${(error as Error).message}`, { cause: error });
  }
  throw new TypeError(`Cannot unpack ${bytes.length} bytes: they are no list of files`);
}

function isStored(file: unknown): file is StoredFile {
  const { path, text, base64 } = (file ?? {}) as Record<string, unknown>;
  return typeof path === "string" && typeof (text ?? base64) === "string";
}
