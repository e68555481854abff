import { WrongUse } from "./command.ts";

/** Writes the file of an option. Throws {@linkcode WrongUse} if the file cannot be written. */
export function writeReport(option: string, path: string, text: string): void {
  try {
    Deno.writeTextFileSync(path, text);
  } catch (error) {
    throw new WrongUse(`${option}: "${path}" cannot be written: ${(error as Error).message}`);
  }
}
