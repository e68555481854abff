import { WrongUse } from "./command.ts";

/** Writes the file of an option. Throws {@linkcode WrongUse} where that cannot be. */
export function writeReport(option: string, path: string, text: string): void {
  try {
    Deno.writeTextFileSync(path, text);
  } catch (error) {
    throw new WrongUse(`${option}: "${path}" cannot be written: ${(error as Error).message}`);
  }
}
