/** A sentence or tag, or what stands for none. */
export type Part = string | false | undefined;

/** Writes a JSDoc comment of one paragraph and of tags, each on a line of its own. */
export function comment(sentences: readonly Part[], tags: readonly Part[] = []): string {
  const text = sentences.filter(Boolean).join(" "), lines = tags.filter(Boolean).map((tag) => `@${tag}`);
  if (lines.length === 0) return `/** ${text} */\n`;
  return `/**\n * ${text}\n *\n${lines.map((line) => ` * ${line}\n`).join("")} */\n`;
}

/** Names in code type, with commas and a word before the last: at most `most` of them, and how many more there are. */
export function listed(names: readonly string[], most: number, word: "and" | "or" = "and"): string {
  const shown = names.slice(0, most).map((name) => `\`${name}\``), more = names.length - shown.length;
  if (more > 0) return `${shown.join(", ")} and ${more} more`;
  return shown.length < 2 ? shown.join("") : `${shown.slice(0, -1).join(", ")} ${word} ${shown.at(-1)}`;
}

/** A sentence on where something is used; `undefined` if it is used nowhere. */
export function usedBy(places: readonly string[], most: number): string | undefined {
  return places.length > 0 ? `Used by ${listed(places, most)}.` : undefined;
}

/** The link to a page of the specification. */
export function specification(address: string): string {
  return `[Specification](${address})`;
}

/** The longest text up to an underscore that all names begin with. */
export function commonPrefix(names: readonly string[]): string {
  let size = names[0]?.length ?? 0;
  for (const name of names) while (!name.startsWith(names[0].slice(0, size))) size--;
  return names.length === 0 ? "" : names[0].slice(0, names[0].lastIndexOf("_", size - 1) + 1);
}
