import { type Finding, isOtherWidth } from "./finding.ts";
import { denoHost, type Host } from "../host/host.ts";

/** The bits of a log message, and of the mask of wanted messages. */
export const LOG = {
  info: 1,
  warning: 2,
  perf: 4,
  error: 8,
  debug: 0x10,
  layer: 0x20,
  driver: 0x40,
  validation: 0x80,
  /** Written whatever messages are requested. */
  fatal: 0x100,
} as const;

/** Words of VK_LOADER_DEBUG in the Khronos loader's order. A prefix of a word is enough. */
const WORDS: readonly (readonly [word: string, bits: number])[] = [
  ["all", 0xff],
  ["warn", LOG.warning],
  ["info", LOG.info],
  ["perf", LOG.perf],
  ["error", LOG.error],
  ["debug", LOG.debug],
  ["layer", LOG.layer],
  ["driver", LOG.driver],
  ["implem", LOG.driver],
  ["icd", LOG.driver],
];
/** The words at the start of lines, the highest severity first. */
const LEVELS = [["ERROR", LOG.error], ["WARNING", LOG.warning], ["INFO", LOG.info], ["DEBUG", LOG.debug]] as const;
const CATEGORIES = [["PERF", LOG.perf], ["DRIVER", LOG.driver], ["LAYER", LOG.layer]] as const;
/** The column at which the text of a line begins, and its most bytes. */
const COLUMN = 32, MOST_TEXT = 511;

/**
 * Parses VK_LOADER_DEBUG: words separated by commas.
 *
 * @example Words and beginnings of words
 * ```ts
 * import { assertEquals } from "@std/assert";
 *
 * assertEquals(parseLogMask("error,driver"), LOG.error | LOG.driver);
 * assertEquals(parseLogMask("err"), LOG.error);
 * ```
 */
export function parseLogMask(value: string): number {
  return value.split(",").reduce((mask, word) => mask | bitsOf(word), 0);
}

function bitsOf(word: string): number {
  if (word === "") return 0;
  return WORDS.find(([whole]) => whole.startsWith(word))?.[1] ?? 0;
}

/** Formats a mask with the words at the start of lines. */
export function maskText(mask: number): string {
  return [...LEVELS, ...CATEGORIES].filter(([, bit]) => mask & bit).map(([word]) => word).join(" | ");
}

/** Formats a line as the Khronos loader does: the level, the first category, and the text from column 32 on. */
export function formatLogLine(bits: number, text: string): string {
  const words = [LEVELS, CATEGORIES].flatMap((list) => list.find(([, bit]) => bits & bit)?.[0] ?? []);
  const header = `[Vulkan Loader] ${words.join(" | ")}: `;
  return header.padEnd(COLUMN) + cut(text);
}

/** Cuts text to so many bytes of UTF-8, without half a character at the end. */
function cut(text: string): string {
  const bytes = new TextEncoder().encode(text);
  if (bytes.length <= MOST_TEXT) return text;
  return new TextDecoder().decode(bytes.subarray(0, MOST_TEXT), { stream: true });
}

/**
 * Logs findings: to `log` all except details, to standard error those that
 * {@linkcode wantedMask} has. `stderrLog`: the mask of the settings file.
 */
export function logFindings(
  findings: readonly Finding[],
  log: ((message: string) => void) | undefined,
  host: Pick<Host, "env" | "writeError"> = denoHost(),
  stderrLog = 0,
): void {
  const mask = wantedMask(host, stderrLog);
  if (mask === 0 && !log) return;
  for (const finding of findings) {
    if (finding.level !== "debug") log?.(sentence(finding));
    writeMessages(messagesOf(finding), host, mask);
  }
}

/** Writes the messages of a mask to standard error. */
export function writeMessages(messages: readonly LogMessage[], host: Pick<Host, "writeError">, mask: number): void {
  for (const { bits, text } of messages) if (bits & (mask | LOG.fatal)) host.writeError(formatLogLine(bits, text));
}

/** A message of the loader to messengers. */
export interface Told {
  /** The severity. */
  readonly level: NonNullable<Finding["level"]>;
  /** The text. */
  readonly text: string;
}

/** A message of the loader to messengers and standard error. */
export interface LogMessage extends Told {
  /** Bits of {@linkcode LOG}: the severity on standard error, and the categories. */
  readonly bits: number;
}

/** Returns a finding's messages for standard error and messengers, in the Khronos loader's words if it has some. */
export function messagesOf(finding: Finding): LogMessage[] {
  const { message, subject, cause = "" } = finding;
  const said = finding.level ?? "info", loud = said === "debug" && message !== undefined ? "info" : said;
  const { messageLevel = loud } = finding, level = messageLevel === "plain" ? "info" : messageLevel;
  const hasNone = subject === "setting" || finding.category === "none";
  const category = hasNone ? 0 : isOfLayers(finding) ? LOG.layer : LOG.driver;
  const bits = (messageLevel === "plain" ? 0 : LOG[level]) | category;
  const details = linesOf(finding.details ?? "", "debug", LOG.debug | (subject === "driver" ? LOG.driver : category));
  const reason = isOtherWidth(cause) ? "info" : "error", found = linesOf(finding.found ?? "", "info", category);
  return [
    ...found,
    ...details,
    ...linesOf(cause, reason, LOG[reason]),
    ...linesOf(message ?? sentence(finding), level, bits),
  ];
}

function linesOf(text: string, level: LogMessage["level"], bits: number): LogMessage[] {
  return text === "" ? [] : text.split("\n").map((line) => ({ level, bits, text: line }));
}

/** Whether a finding is about layers. The search for layers counts as one. */
function isOfLayers({ subject, path, category }: Finding): boolean {
  return subject === "layer" || category === "layer" || subject === "folder" && path.endsWith("_layer.d");
}

/**
 * The severity of a message. `"plain"`: a report on how something was built, in
 * the categories layers and drivers. `"fatal"`: an error that standard error
 * gets whatever messages are requested.
 */
export type Level = "error" | "warning" | "info" | "debug" | "plain" | "fatal";

/**
 * Takes a message of the loader, whoever gets it in the end. Called inside callbacks, too, so it must not throw.
 * `category`: `"driver"` by default.
 */
export type Say = (level: Level, text: string, category?: "driver" | "none") => void;

/**
 * Makes a function that takes messages of a running driver: to `log` all except
 * details, to standard error those that VK_LOADER_DEBUG requests at the time.
 */
export function createSay(
  log: ((message: string) => void) | undefined,
  host: Host = denoHost(),
): Say {
  const mask = wantedMask(host);
  return (level, text, category) => {
    if (level !== "plain" && level !== "debug") log?.(text);
    const bits = bitsAt(level) & (category === "none" ? ~LOG.driver : ~0);
    writeMessages([{ level: SEVERITY_OF[level] ?? "info", bits, text }], host, mask);
  };
}

const SEVERITY_OF: Readonly<Partial<Record<Level, LogMessage["level"]>>> = {
  error: "error",
  warning: "warning",
  debug: "debug",
  fatal: "error",
};

function bitsAt(level: Level): number {
  if (level === "plain") return LOG.layer | LOG.driver;
  return level === "fatal" ? LOG.fatal | LOG.error : LOG[level] | LOG.driver;
}

/** Returns the mask of the settings file, or that of VK_LOADER_DEBUG if the file has none. */
export function wantedMask(host: Pick<Host, "env">, stderrLog = 0): number {
  return stderrLog || logMask(host);
}

function logMask(host: Pick<Host, "env">): number {
  try {
    return parseLogMask(host.env("VK_LOADER_DEBUG") ?? "");
  } catch {
    return 0;
  }
}

function sentence({ path, value, reason }: Finding): string {
  return `${path}${value === undefined ? "" : `=${value}`}: ${reason}`;
}
