const CHARACTERS: Readonly<Record<string, string>> = { amp: "&", lt: "<", gt: ">", quot: '"', apos: "'" };

/** Returns the text that stands in XML. */
export function xmlPlain(text: string): string {
  return text.replace(/&(amp|lt|gt|quot|apos|#\d+);/g, (_, name: string) => {
    return CHARACTERS[name] ?? String.fromCodePoint(Number(name.slice(1)));
  }).trim();
}
