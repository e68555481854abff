/** What to do where a text stands for bytes that are not UTF-8 (each shown as U+FFFD); `undefined` for any other. */
export function notUtf8(text: string): string | undefined {
  if (!text.includes("\uFFFD")) return undefined;
  return "has bytes that are not UTF-8, and what they name cannot be opened; rename it, or give a link to it";
}
