/** A sentence or tag, or what stands for none. */
export type Part = string | false | undefined;

/** Writes a JSDoc comment of one paragraph and of tags, each on a line of its own. */
export function comment(sentences: readonly Part[], tags: readonly Part[] = []): string {
  const text = sentences.filter(Boolean).join(" "), lines = tags.filter(Boolean).map((tag) => `@${tag}`);
  if (lines.length === 0) return `/** ${text} */\n`;
  return `/**\n * ${text}\n *\n${lines.map((line) => ` * ${line}\n`).join("")} */\n`;
}

/** Names in code type, with commas and an "and": at most `most` of them, and how many more there are. */
export function listed(names: readonly string[], most: number): string {
  const shown = names.slice(0, most).map((name) => `\`${name}\``), more = names.length - shown.length;
  return more > 0 ? `${shown.join(", ")} and ${more} more` : joined(shown, "and");
}

/** Words with commas, and with another word before the last. */
export function joined(words: readonly string[], last: "and" | "or"): string {
  return words.length < 2 ? words.join("") : `${words.slice(0, -1).join(", ")} ${last} ${words.at(-1)}`;
}

/** A sentence on where something is used; `undefined` if it is used nowhere. */
export function usedBy(places: readonly string[], most: number): string | undefined {
  return places.length > 0 ? `Used by ${listed(places, most)}.` : undefined;
}

/** The link to a reference page of the specification. */
export function specification(address: string): string {
  return `[Reference](${address})`;
}

/** The longest text up to an underscore that all names begin with. */
export function commonPrefix(names: readonly string[]): string {
  let size = names[0]?.length ?? 0;
  for (const name of names) while (!name.startsWith(names[0].slice(0, size))) size--;
  return names.length === 0 ? "" : names[0].slice(0, names[0].lastIndexOf("_", size - 1) + 1);
}
