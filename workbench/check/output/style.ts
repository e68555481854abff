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

/** Returns a style with colours for a terminal without NO_COLOR. */
export function styleOf(isTerminal: boolean, noColor: boolean): Style {
  return isTerminal && !noColor ? COLORED : PLAIN;
}
