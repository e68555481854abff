/**
 * The words of a command line as a shell has them: between spaces, in quotes
 * with them. Throws a `TypeError` for a quote without an end.
 *
 * @example
 * ```ts
 * import { assertEquals } from "@std/assert";
 *
 * assertEquals(shellWords("./deqp-vk '--a=b c' \"d e\"f"), ["./deqp-vk", "--a=b c", "d ef"]);
 * ```
 */
export function shellWords(line: string): string[] {
  const words: string[] = [];
  let word: string | undefined, quote = "";
  for (const character of line) {
    if (quote === character) quote = "";
    else if (quote === "" && /["']/.test(character)) [quote, word] = [character, word ?? ""];
    else if (quote !== "" || !/\s/.test(character)) word = (word ?? "") + character;
    else if (word !== undefined) [word] = [undefined, words.push(word)];
  }
  if (quote !== "") throw new TypeError(`Cannot read the command ${line}: a ${quote} is not closed`);
  return word === undefined ? words : [...words, word];
}
