import { columnsHere, NARROW } from "../../workbench/process/terminal.ts";

/** The widest lines. */
const WIDEST = 110;
/** The column where the text after a name begins, if there is room for a column of names. */
const INDENT = 14;
/** The same below a name. */
const NARROW_INDENT = 4;

/** Returns a name and the words about it, in lines of readable length. */
export function paragraph(name: string, words: readonly string[]): string {
  const width = Math.min(columnsHere() ?? WIDEST, WIDEST), isNarrow = width < NARROW;
  const indent = isNarrow ? NARROW_INDENT + name.search(/\S|$/) : INDENT, lines = [""];
  for (const word of words) {
    const last = lines.length - 1, longer = lines[last] === "" ? word : `${lines[last]} ${word}`;
    if (indent + longer.length > width && lines[last] !== "") lines.push(word);
    else lines[last] = longer;
  }
  if (isNarrow && name !== "") lines.unshift("");
  return lines.map((line, index) => `${`  ${index === 0 ? name : ""}`.padEnd(indent)}${line}`.trimEnd()).join("\n");
}

/** The same from text. */
export function sentence(name: string, text: string): string {
  return paragraph(name, text.split(" "));
}

/** Extensions by their authors: `VK_KHR_swapchain` is listed as `swapchain` behind `KHR`. */
export function extensionLines(names: readonly string[]): string[] {
  const authors = new Map<string, string[]>();
  for (const name of names) {
    const [, author, rest] = /^[A-Z]+_([A-Z0-9]+)_(.*)$/.exec(name) ?? [name, "", name];
    authors.set(author, [...authors.get(author) ?? [], rest]);
  }
  const lines = [...authors].sort(([one], [other]) => one < other ? -1 : 1);
  return lines.map(([author, own]) => paragraph(`  ${author}`, own));
}

/** Bytes as people write them. */
export function bytesText(bytes: number): string {
  const units = ["bytes", "KiB", "MiB", "GiB", "TiB"];
  let unit = 0, rest = bytes;
  for (; rest >= 1024 && unit < units.length - 1; unit++) rest /= 1024;
  return `${Number(rest.toFixed(1))} ${units[unit]}`;
}
