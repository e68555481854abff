/** A piece of TypeScript: text as it is, or items between brackets, on one line if they fit. */
export type Node = string | Group;

/** Items between brackets. */
export interface Group {
  /** The text before the items, such as `{` or `device.vkCreateImage(`. */
  readonly open: string;
  readonly items: readonly Node[];
  /** The text after the items. */
  readonly close: string;
  /** Whether as many items as fit share a line, if not all do. */
  readonly fills?: boolean;
  /** Whether the items are statements, which need no commas and have lines of their own. */
  readonly isBlock?: boolean;
}

/** Columns of a line. */
const WIDTH = 118;

/** Returns items between braces, with a blank beside each brace. */
export function braces(items: readonly Node[]): Node {
  return items.length === 0 ? "{}" : { open: "{", items, close: "}", fills: true };
}

/** Returns items between square brackets. */
export function brackets(items: readonly Node[], fills = false): Node {
  return { open: "[", items, close: "]", fills };
}

/** Returns a node behind some text. */
export function after(text: string, node: Node): Node {
  return typeof node === "string" ? text + node : { ...node, open: text + node.open };
}

/** Returns a node before some text. */
export function before(node: Node, text: string): Node {
  return typeof node === "string" ? node + text : { ...node, close: node.close + text };
}

/** Returns statements between braces, behind the beginning of a function. */
export function block(open: string, items: readonly Node[], close: string): Node {
  return { open, items, close, isBlock: true };
}

/** Returns the lines of a node that begins at a column. */
export function linesOf(node: Node, indent: string): string[] {
  if (typeof node === "string") return wrapped(node, indent);
  const { open, items, close, fills, isBlock } = node, [only] = items, inside = `${indent}  `;
  if (isBlock) return [indent + open, ...items.flatMap((item) => linesOf(item, inside)), indent + close];
  const flat = flatText(node);
  if (indent.length + flat.length <= WIDTH) return [indent + flat];
  // A call with one object or list as its argument keeps the bracket on the call's line.
  if (items.length === 1 && typeof only !== "string" && /[([]$/.test(open)) {
    return linesOf({ ...only, open: open + only.open, close: only.close + close }, indent);
  }
  const inner = fills ? filled(items, inside) : items.flatMap((item) => linesOf(before(item, ","), inside));
  return [indent + open, ...inner, indent + close];
}

/** Many flags need several lines. */
function wrapped(text: string, indent: string): string[] {
  if (indent.length + text.length <= WIDTH || !text.includes(" | ")) return [indent + text];
  const parts = text.split(/(?<= \|) /), lines = [indent + parts[0]];
  for (const part of parts.slice(1)) {
    if (lines.at(-1)!.length + 1 + part.length > WIDTH) lines.push(`${indent}  ${part}`);
    else lines[lines.length - 1] += ` ${part}`;
  }
  return lines;
}

/** Items that fit share lines; one that does not fit has lines of its own. */
function filled(items: readonly Node[], indent: string): string[] {
  const lines: string[] = [];
  let line = indent;
  const end = () => {
    if (line !== indent) lines.push(line);
    line = indent;
  };
  for (const item of items) {
    const text = `${flatText(item)},`;
    if (line !== indent && line.length + 1 + text.length > WIDTH) end();
    if (line === indent && indent.length + text.length > WIDTH) lines.push(...linesOf(before(item, ","), indent));
    else line += line === indent ? text : ` ${text}`;
  }
  end();
  return lines;
}

function flatText(node: Node): string {
  if (typeof node === "string") return node;
  const { open, items, close } = node, inside = items.map(flatText).join(", ");
  return /\{$/.test(open) && inside !== "" ? `${open} ${inside} ${close}` : open + inside + close;
}

/** A recording that cannot be written as a script; the message says why. */
export class Unscriptable extends Error {
  /** The error's name. */
  override readonly name = "Unscriptable";
}
