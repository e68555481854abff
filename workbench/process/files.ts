import { removeIfThere, writeWhole } from "../../ffi/file/whole_file.ts";
import { exitCodeOf, isRefusal, plainWords, reasonOf, Unusable, WrongUse } from "./exit_code.ts";

/** The names of files that Deno loads as modules. */
const MODULE = /\.[mc]?[jt]sx?$/;

/**
 * Calls `use`, which reads, writes or makes the file or the folder that `who`, an option or a command, names. Throws
 * {@linkcode WrongUse} if the system refuses the path, and {@linkcode Unusable} if a file was begun and the disk is full.
 * `isWritten` says that a file is made, whose folder must be there.
 */
export function atPath<Result>(who: string, path: string, use: () => Result, isWritten = false): Result {
  try {
    return use();
  } catch (error) {
    if (error instanceof WrongUse || error instanceof Unusable) throw error;
    const isNowhere = isWritten && error instanceof Deno.errors.NotFound;
    const why = isNowhere ? "cannot be written: its folder is not there; make it" : reasonOf(error);
    const isLost = isRefusal(error) && exitCodeOf(error) === 1;
    throw new (isLost ? Unusable : WrongUse)(`${who}: "${path}" ${why}`, { cause: error });
  }
}

/** The text of a file. Throws {@linkcode WrongUse} for a file that cannot be read. */
export function textIn(who: string, path: string): string {
  const bytes = atPath(who, existing(who, path), () => Deno.readFileSync(path));
  try {
    if (!bytes.includes(0)) return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch {
    // not UTF-8
  }
  throw new WrongUse(`${who}: "${path}" is no text; give another file`);
}

/** Writes the file of an option, whole or not at all. Throws what {@linkcode atPath} throws. */
export function writeReport(option: string, path: string, text: string): void {
  atPath(option, path, () => writeWhole(path, text), true);
}

/** Makes the folder of an option. Throws what {@linkcode atPath} throws. */
export function makeFolder(option: string, path: string): void {
  atPath(option, path, () => Deno.mkdirSync(path, { recursive: true }), true);
}

/** The path of a command's file. Throws {@linkcode WrongUse} for one that is not there or cannot be read, and for a folder. */
export function existing(command: string, path: string): string {
  return atPath(command, path, () => {
    const { isDirectory, isFile } = Deno.statSync(path);
    if (isDirectory) throw new WrongUse(`${command}: "${path}" is a folder; give a file`);
    if (isFile) Deno.openSync(path).close(); // a pipe is opened once
    return path;
  });
}

/** Whether anything is at a path, at the end of links. Deno takes 20 ms to load `node:fs`, which has the same. */
export function isThere(path: string): boolean {
  try {
    return Deno.statSync(path) !== undefined;
  } catch (error) {
    if (error instanceof Deno.errors.NotCapable) throw error;
    return false;
  }
}

/** Whether a folder is at a path. */
export function isFolder(path: string): boolean {
  try {
    return Deno.statSync(path).isDirectory;
  } catch {
    return false; // nothing is there yet
  }
}

/** The path of a script or of a file with tests. Throws {@linkcode WrongUse} for what Deno cannot load, too. */
export function existingModule(command: string, path: string): string {
  if (MODULE.test(existing(command, path))) return path;
  throw new WrongUse(
    `${command}: "${path}" is no script that Deno can load; give a file whose name ends in .ts or .js`,
  );
}

/** Returns the error for a program that `who` names and that the system cannot start. */
export function notStarted(who: string, program: string, error: unknown): WrongUse {
  const why = error instanceof Deno.errors.NotFound
    ? "there is no such program"
    : error instanceof Deno.errors.PermissionDenied
    ? "it is a folder or no program, or this user may not run it"
    : plainWords((error as Error).message);
  return new WrongUse(`${who}: "${program}" cannot be started: ${why}`, { cause: error });
}

/** Refuses at once what {@linkcode writeReport} could not write after long work. */
export function checkReport(option: string, path: string): void {
  const isNew = !isTaken(path);
  atPath(option, path, () => Deno.openSync(path, { append: true, create: true }).close(), true);
  if (isNew) removeIfThere(path);
}

function isTaken(path: string): boolean {
  try {
    return Deno.lstatSync(path) !== undefined;
  } catch {
    return false;
  }
}
