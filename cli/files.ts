import { WrongUse } from "./command.ts";

/**
 * Writes the file of an option, whole or not at all. Throws {@linkcode WrongUse}
 * if the file cannot be written.
 */
export function writeReport(option: string, path: string, text: string): void {
  const isPlain = isPlainFile(path), beside = isPlain ? `${path}.new` : path;
  try {
    Deno.writeTextFileSync(beside, text);
    if (isPlain) Deno.renameSync(beside, path);
  } catch (error) {
    if (isPlain) removed(beside);
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
  if (isNew) removed(path);
}

/** A pipe or a device is written as it is. */
function isPlainFile(path: string): boolean {
  try {
    return Deno.lstatSync(path).isFile;
  } catch {
    return true;
  }
}

function isThere(path: string): boolean {
  try {
    Deno.lstatSync(path);
    return true;
  } catch {
    return false;
  }
}

function removed(path: string): void {
  try {
    Deno.removeSync(path);
  } catch {
    // it was not there
  }
}
