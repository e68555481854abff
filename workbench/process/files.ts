import { removeIfThere, writeWhole } from "../../ffi/file/whole_file.ts";
import { WrongUse } from "./exit_code.ts";

/**
 * Writes the file of an option, whole or not at all. Throws {@linkcode WrongUse}
 * if the file cannot be written.
 */
export function writeReport(option: string, path: string, text: string): void {
  try {
    writeWhole(path, text);
  } catch (error) {
    throw new WrongUse(`${option}: "${path}" cannot be written: ${(error as Error).message}`);
  }
}

/** The path of a command's file. Throws {@linkcode WrongUse} for one that is not there, and for a folder. */
export function existing(command: string, path: string): string {
  try {
    if (!Deno.statSync(path).isDirectory) return path;
    throw new WrongUse(`${command}: "${path}" is a folder; give a file`);
  } catch (error) {
    if (error instanceof WrongUse) throw error;
    const isMissing = error instanceof Deno.errors.NotFound;
    throw new WrongUse(
      `${command}: "${path}" ${isMissing ? "is not there" : `cannot be read: ${(error as Error).message}`}`,
    );
  }
}

/** Refuses at once what {@linkcode writeReport} could not write after long work. */
export function checkReport(option: string, path: string): void {
  const isNew = !isThere(path);
  try {
    Deno.openSync(path, { append: true, create: true }).close();
  } catch (error) {
    throw new WrongUse(`${option}: "${path}" cannot be written: ${(error as Error).message}`);
  }
  if (isNew) removeIfThere(path);
}

function isThere(path: string): boolean {
  try {
    Deno.lstatSync(path);
    return true;
  } catch {
    return false;
  }
}
