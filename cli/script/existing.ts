import { WrongUse } from "../command.ts";

/** The path of a command's file. Throws {@linkcode WrongUse} for one that is not there. */
export function existing(command: string, path: string): string {
  try {
    Deno.statSync(path);
    return path;
  } catch (error) {
    const isMissing = error instanceof Deno.errors.NotFound;
    throw new WrongUse(
      `${command}: "${path}" ${isMissing ? "is not there" : `cannot be read: ${(error as Error).message}`}`,
    );
  }
}
