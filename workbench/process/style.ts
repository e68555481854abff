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
