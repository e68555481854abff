import { WrongUse } from "../../process/exit_code.ts";
import { textIn } from "../../process/files.ts";

/** The beginning of a signature. */
const START = /^(differs|(crashed|timed out|failed) on (driver [AB*]|\*))(: |$)/;

/**
 * Reads signatures, one a line; empty lines and lines that begin with # are
 * left out.
 *
 * @throws {WrongUse} if the file cannot be read, or a line is no signature.
 */
export function readKnown(path: string): string[] {
  const lines = textIn("fuzz", path).split("\n").map((line) => line.trim());
  for (const [index, line] of lines.entries()) {
    if (line === "" || line.startsWith("#") || START.test(line)) continue;
    const found = JSON.stringify(line.length > MOST ? `${line.slice(0, MOST)}…` : line);
    throw new WrongUse(
      `fuzz: line ${index + 1} of ${path} is no signature: ${found}; give one such as "differs: vkCmdDraw*"`,
    );
  }
  return lines.filter((line) => line !== "" && !line.startsWith("#"));
}

/** The most characters of a line that are told. */
const MOST = 60;

/**
 * Whether a signature is among the known ones. A known one may be the beginning
 * of a signature, up to a colon, and `*` in it stands for anything between two.
 */
export function isKnown(known: readonly string[], signature: string): boolean {
  return known.some((each) => {
    const parts = each.split("*").map((part) => part.replace(/[^\w ]/g, "\\$&"));
    return new RegExp(`^${parts.join("[^:]*")}(: |$)`).test(signature);
  });
}
