/** Columns below which a table gives up its columns. */
export const NARROW = 72;
/** The fewest columns that text behind a name may be left with. */
const LEAST = 24;
/** The fewest columns that are kept to: what is narrower is folded by the terminal itself. */
const NARROWEST = 16;
/** Columns of a terminal that does not tell them. */
const FALLBACK = 80;
// deno-lint-ignore no-control-regex -- the codes of colours
const COLOURS = /\x1b\[[0-9;]*m/g;

/** Returns how many columns the terminal of standard output has; `undefined` if standard output is no terminal. */
export function columnsHere(): number | undefined {
  return Deno.stdout.isTerminal() ? widthHere() : undefined;
}

/** The columns of this process's terminal; `undefined` for a terminal that does not know, such as a serial line. */
function widthHere(): number | undefined {
  const { columns } = Deno.consoleSize();
  return columns > 0 ? columns : undefined;
}

/**
 * Breaks the lines of a text at spaces, so that none is longer than `width`. The rest of a line stands below where the
 * text behind its name began. If that leaves too little room, all of the text stands below the name. A longer word gets a
 * line of its own.
 *
 * @example
 * ```ts
 * import { assertEquals } from "@std/assert";
 *
 * const table = "name   the first of its kind that is there";
 * assertEquals(fold(table, 34), "name   the first of its kind that\n       is there");
 * assertEquals(fold(table, 20), "name\n  the first of its\n  kind that is there");
 * ```
 */
export function fold(text: string, width: number): string {
  const room = Math.max(width, NARROWEST);
  return text.split("\n").flatMap((line) => lengthOf(line) <= room ? [line] : folded(line, room)).join("\n");
}

/** A name is what stands before two spaces or more. */
function folded(line: string, width: number): string[] {
  const [start] = line.match(/^ */)!, [, name = ""] = line.match(/^( *\S+(?: \S+)* {2,})\S/) ?? [];
  const behind = lengthOf(name), rest = line.slice(name.length);
  const longest = Math.max(LEAST, ...rest.split(" ").map(lengthOf));
  if (behind > 0 && behind + longest <= width) return filled(name, " ".repeat(behind), rest, width);
  const indent = start.length > width / 2 ? "" : start;
  if (behind === 0) return filled(indent, indent === "" ? "" : `${indent}  `, line.trim(), width);
  return [indent + name.trim(), ...filled(`${indent}  `, `${indent}  `, rest, width)];
}

/** Lines of words, with the spaces between the words: the first line begins with `first`, the others with `others`. */
function filled(first: string, others: string, text: string, width: number): string[] {
  const [word, ...words] = text.split(/( +)/), lines = [first + word];
  for (let at = 0; at < words.length; at += 2) {
    const last = lines.at(-1)! + words[at] + words[at + 1];
    if (lengthOf(last) <= width) lines[lines.length - 1] = last;
    else lines.push(others + words[at + 1]);
  }
  return lines;
}

function lengthOf(text: string): number {
  return text.replace(COLOURS, "").length;
}

/** Overwrites the last line of standard error, with as much of a text as there is room for. */
export function showProgress(text: string): void {
  const room = Math.max(NARROWEST, (widthHere() ?? FALLBACK) - 1);
  Deno.stderr.writeSync(new TextEncoder().encode(`\r\x1b[K${text.slice(0, room)}`));
}

/** Text without signs that would move a terminal's cursor or begin a line. */
export function plain(text: string): string {
  // deno-lint-ignore no-control-regex
  return text.replace(/[\u0000-\u001f\u007f-\u009f]/g, "\ufffd");
}

/** A count with its noun: `1 call`, `2 calls`. */
export function counted(count: number, one: string, many = `${one}s`): string {
  return `${count} ${count === 1 ? one : many}`;
}

/** The marks of text on a terminal. */
export interface Style {
  /** Passed. */
  green(text: string): string;
  /** Failed. */
  red(text: string): string;
  /** Not demanded. */
  yellow(text: string): string;
  /** Headings. */
  bold(text: string): string;
  /** The style of reference material, such as sources. */
  dim(text: string): string;
}

const same = (text: string) => text;
const code = (start: number, end: number) => (text: string) => `\x1b[${start}m${text}\x1b[${end}m`;

/** Plain text. */
export const PLAIN: Style = { green: same, red: same, yellow: same, bold: same, dim: same };
/** Colours of every terminal. */
export const COLORED: Style = {
  green: code(32, 39),
  red: code(31, 39),
  yellow: code(33, 39),
  bold: code(1, 22),
  dim: code(2, 22),
};

/** The variables by which a user chooses colours. */
export interface ColorVariables {
  /** No colours, if the variable has any value. */
  readonly NO_COLOR?: string;
  /** Colours also where there is no terminal, unless the value is empty or `0`; wins over NO_COLOR, as in Node. */
  readonly FORCE_COLOR?: string;
  /** The kind of terminal; `dumb` has no colours. */
  readonly TERM?: string;
}

/** Returns the style for a terminal, or for what is no terminal, by the variables of the user. */
export function styleOf(isTerminal: boolean, { NO_COLOR = "", FORCE_COLOR = "", TERM }: ColorVariables): Style {
  if (FORCE_COLOR !== "") return FORCE_COLOR === "0" ? PLAIN : COLORED;
  return isTerminal && NO_COLOR === "" && TERM !== "dumb" ? COLORED : PLAIN;
}

/** The style of this process's standard output. A variable that may not be read counts as not set. */
export function styleHere(): Style {
  const names = ["NO_COLOR", "FORCE_COLOR", "TERM"] as const;
  const known = names.filter((variable) => Deno.permissions.querySync({ name: "env", variable }).state === "granted");
  const variables: ColorVariables = Object.fromEntries(known.map((name) => [name, Deno.env.get(name)]));
  return styleOf(Deno.stdout.isTerminal(), { ...variables, ...Deno.noColor ? { NO_COLOR: "1" } : {} });
}
