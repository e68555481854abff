import { parseArgs, type ParseArgsOptionsConfig } from "node:util";

/** The options of the command line; one that is not known ends the program with a sentence that lists them. */
export function argumentsOf<Options extends ParseArgsOptionsConfig>(options: Options) {
  try {
    return parseArgs({ args: Deno.args, options }).values;
  } catch (error) {
    const known = Object.keys(options).map((name) => `--${name}`).join(", ");
    return refuse(`${(error as Error).message}; options: ${known}`);
  }
}

/** Reads `WIDTHxHEIGHT`; anything else ends the program with a sentence. */
export function sizeOf(text: string): [number, number] {
  const match = /^(\d+)x(\d+)$/.exec(text);
  const size = match ? [Number(match[1]), Number(match[2])] : [];
  if (size.length === 2 && size.every((side) => side >= 16 && side <= 8192)) return [size[0], size[1]];
  return refuse(`--size is "${text}"; write WIDTHxHEIGHT with sides from 16 to 8192, such as 1280x720`);
}

/** Reads a number of frames; anything else ends the program with a sentence. */
export function countOf(text: string): number {
  const count = Number(text);
  if (Number.isInteger(count) && count > 0) return count;
  return refuse(`--frames is "${text}"; write a whole number from 1 up`);
}

/** Ends the program as one that was used wrongly: exit code 2. */
export function refuse(message: string): never {
  console.error(message);
  Deno.exit(2);
}
