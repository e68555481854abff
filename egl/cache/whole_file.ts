/** The limits for reading a whole file. */
export interface ReadRules {
  /** The most bytes that the file may have; a larger one is not read. */
  readonly most: number;
  /** Whether a link to a file counts as one. */
  readonly links?: boolean;
}

/**
 * A file's bytes; `undefined` if there is no file; the reason, as a sentence
 * without a full stop, if the file cannot be read. Only a regular file is
 * opened: reading a pipe might never end.
 */
export function readWhole(
  path: string,
  { most, links = false }: ReadRules,
): Uint8Array<ArrayBuffer> | string | undefined {
  try {
    const found = links ? Deno.statSync(path) : Deno.lstatSync(path);
    if (!found.isFile) return "it is no regular file";
    if (found.size > most) return `it has ${found.size} bytes, more than ${most}`;
    return Deno.readFileSync(path);
  } catch (error) {
    return error instanceof Deno.errors.NotFound ? undefined : (error as Error).message;
  }
}

/**
 * Puts bytes into a file so that other processes see the old ones or all of the
 * new, and nobody but whom `mode` allows sees any. Throws what Deno throws; no
 * other file is left then.
 */
export function writeWhole(path: string, bytes: Uint8Array, mode: number): void {
  const fresh = `${path}.${Math.floor(Math.random() * 2 ** 48)}.tmp`; // Workers share a process's number
  try {
    using file = Deno.openSync(fresh, { write: true, createNew: true, mode: 0 });
    for (let at = 0; at < bytes.length;) at += file.writeSync(bytes.subarray(at));
    Deno.chmodSync(fresh, mode);
    Deno.renameSync(fresh, path);
  } catch (error) {
    removeIfThere(fresh);
    throw error;
  }
}

/** Removes a file; whether it is gone. */
export function removeIfThere(path: string): boolean {
  try {
    Deno.removeSync(path);
    return true;
  } catch (error) {
    return error instanceof Deno.errors.NotFound;
  }
}
