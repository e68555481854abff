/** Characters of a line that is not broken. */
const WIDTH = 100;
const PAIRS: Readonly<Record<string, string>> = { "(": ")", "{": "}", "[": "]" };

/**
 * Breaks a text with brackets, such as a call, so that a person can read the
 * text: what does not fit into a line has a line for each member.
 */
export function indented(text: string, indent = ""): string {
  if (indent.length + text.length <= WIDTH) return text;
  const open = openOf(text), end = open < 0 ? -1 : endOf(text, open);
  if (end < 0) return text;
  const inner = `${indent}  `, items = itemsOf(text.slice(open + 1, end));
  if (items.length === 0) return text;
  const lines = items.map((item) => `${inner}${indented(item, inner)}`);
  return `${text.slice(0, open + 1)}\n${lines.join(",\n")}\n${indent}${indented(text.slice(end), indent)}`;
}

/** The first bracket with something in it. */
function openOf(text: string): number {
  for (let at = 0; at < text.length; at++) {
    if (text[at] === '"') at = quoteEnd(text, at);
    else if (text[at] in PAIRS && text[at + 1] !== PAIRS[text[at]]) return at;
  }
  return -1;
}

function endOf(text: string, open: number): number {
  for (let at = open, depth = 0; at < text.length; at++) {
    if (text[at] === '"') at = quoteEnd(text, at);
    else if (text[at] in PAIRS) depth++;
    else if (")}]".includes(text[at]) && --depth === 0) return at;
  }
  return -1;
}

/** The members between brackets, which commas part. */
function itemsOf(text: string): string[] {
  const items: string[] = [];
  let start = 0, depth = 0;
  for (let at = 0; at < text.length; at++) {
    if (text[at] === '"') at = quoteEnd(text, at);
    else if (text[at] in PAIRS) depth++;
    else if (")}]".includes(text[at])) depth--;
    else if (text[at] === "," && depth === 0) {
      items.push(text.slice(start, at).trim());
      start = at + 1;
    }
  }
  return [...items, text.slice(start).trim()];
}

function quoteEnd(text: string, start: number): number {
  for (let at = start + 1; at < text.length; at++) {
    if (text[at] === "\\") at++;
    else if (text[at] === '"') return at;
  }
  return text.length;
}
