import { NativeError } from "../../../ffi/error.ts";
import { DriverError, type DriverErrorCode } from "../../error.ts";

/** The subject of a {@linkcode Finding}. */
export type FindingSubject =
  | "platform"
  | "variable"
  | "property"
  | "setting"
  | "folder"
  | "manifest"
  | "driver"
  | "layer"
  | "plane";

/**
 * One thing that was looked at, and what became of it: an entry of every
 * `explain()` and of `cli.ts explain --json`. A finding is plain data, which
 * JSON takes as it is; `explainText()` makes text of findings. Members are only
 * ever added.
 */
export interface Finding {
  /** The kind of thing. */
  readonly subject: FindingSubject;
  /** The library, manifest or folder; the name of a variable, property or setting; the platform; a composer's layer. */
  readonly path: string;
  /** The value of a variable, property or setting; absent if it is not set. */
  readonly value?: string;
  /** The reason for looking at it: an option, a variable, the searched folder, the rule of the search. */
  readonly origin: string;
  /** Whether it counted: a driver or layer in use, a readable manifest, an honoured variable. */
  readonly taken: boolean;
  /** The reason why it counted or not, a sentence without a full stop. */
  readonly reason: string;
  /** The Khronos loader's message, word for word, if programs search for it. Each line is a message. */
  readonly message?: string;
  /**
   * The severity of the Khronos loader's message. `"plain"`: only a category.
   * Default: `level`, but `"info"` for `"debug"`.
   */
  readonly messageLevel?: "error" | "warning" | "info" | "debug" | "plain";
  /** The Khronos loader's message that a file was found which then does not count, said before `details`, without a severity. */
  readonly found?: string;
  /** More messages of the Khronos loader, of the severity `"debug"`, said before `message`. Each line is a message. */
  readonly details?: string;
  /**
   * The reason why a library cannot be used: the dynamic linker's words, or
   * what the library lacks. The Khronos loader says so between `details` and `message`.
   */
  readonly cause?: string;
  /**
   * The category if the subject does not tell: manifests and variables belong to
   * drivers or, with `"layer"`, to layers. `"none"`: the Khronos loader's
   * message has a severity alone.
   */
  readonly category?: "layer" | "none";
  /** The severity in the log. Default: `"info"`. */
  readonly level?: "error" | "warning" | "info" | "debug";
}

/** Returns findings without those that repeat an earlier one, as of a variable that several searches could not read. */
export function withoutRepeats(findings: readonly Finding[]): Finding[] {
  const seen = new Set<string>();
  return findings.filter(({ subject, path, value, origin, taken, reason }) => {
    const key = JSON.stringify([subject, path, value, origin, taken, reason]);
    return !seen.has(key) && seen.add(key);
  });
}

/** The beginning of reasons about missing permissions. */
export const MAY_NOT_BE_READ = "may not be read";

/** The end of the paths of folders with layer manifests. */
export const LAYER_FOLDERS: RegExp = /_layer\.d$/;

/**
 * Returns what permissions hide of the folders whose paths end so; `undefined`
 * if nothing. Without these folders, nothing is known about the machine.
 */
export function hiddenFolders(findings: readonly Finding[], what: string, end: RegExp): string | undefined {
  const places = findings.filter(({ reason }) => reason.startsWith(MAY_NOT_BE_READ));
  const folders = places.filter(({ subject, path }) => subject === "folder" && end.test(path)).map(({ path }) => path);
  if (folders.length === 0) return undefined;
  const others = new Set(folders).size - 1, more = others > 0 ? ` and ${others} more` : "";
  const also = places.some(({ subject }) => subject !== "folder")
    ? ` (and with --allow-env variables that name manifests)`
    : "";
  return `the folders of ${what} (${folders[0]}${more}) ${MAY_NOT_BE_READ}; allow it with --allow-read${also}`;
}

/** Runs one step of a search. A {@linkcode DriverError} of the step lists the earlier findings before its own. */
export function carrying<T>(before: readonly Finding[], step: () => T): T {
  try {
    return step();
  } catch (error) {
    if (error instanceof DriverError) error.findings = [...before, ...error.findings];
    throw error;
  }
}

/** The Khronos loader's message about a fault, and its severity. Programs search for these words. */
export interface Said {
  /** The message. */
  readonly message: string;
  /** The severity. Default: `"warning"`. */
  readonly level?: NonNullable<Finding["level"]>;
  /** See {@linkcode Finding.category}. */
  readonly category?: Finding["category"];
}

/** A file that cannot be used, with the Khronos loader's message about the fault. */
export class Refusal extends DriverError {
  /** The Khronos loader's message; absent if it has none. */
  readonly said?: Said;

  /** Makes the error of one file. */
  constructor(code: DriverErrorCode, path: string, sentence: string, said?: Said, options?: ErrorOptions) {
    super(code, path, sentence, options);
    this.said = said;
  }
}

/** Returns the finding about a file that an error refused. */
export function refusedFor(
  error: unknown,
  usual: Said["level"] = "warning",
): Pick<Finding, "taken" | "reason" | "level" | "message" | "category"> {
  const reason = (error as Error).message, said = saidOf(error);
  return { taken: false, reason, level: usual, ...said && { level: "warning", ...said } };
}

/**
 * Whether a library could not be opened because it is for processes of another
 * width, which is not a fault of the library.
 */
export function isOtherWidth(reason: string): boolean {
  return /wrong ELF class|found a 32-bit library/.test(reason);
}

/** Returns the dynamic linker's words in an error, or the sentence of an error before the linker was asked. */
export function linkerWords(error: unknown): Pick<Finding, "cause"> {
  for (let each = error; each instanceof Error; each = each.cause) {
    if (!(each instanceof NativeError)) continue;
    return { cause: each.cause instanceof Error ? each.cause.message : each.message };
  }
  return {};
}

/** Returns the Khronos loader's message about an error. */
export function saidOf(error: unknown): Said | undefined {
  return error instanceof Refusal ? error.said : undefined;
}

/** Returns the sentence that no driver has a device, and what to do. */
export function noDriver(findings: readonly Finding[]): string {
  const looked = findings.filter(({ subject }) => subject === "manifest" || subject === "driver")
    .filter(({ taken }) => !taken).map(({ path, reason }) => `  ${path}: ${reason}`).join("\n");
  const seen = looked ? `looked at\n${looked}\n` : "";
  const advice = hiddenFolders(findings, "driver manifests", /^(?!.*_layer\.d$)/) ??
    `${seen ? "" : `found no driver manifest; ${unsetAdvice(findings)}`}install one (Debian: mesa-vulkan-drivers)`;
  return `Cannot find a Vulkan driver: ${seen}${advice} or name its library with the driver option`;
}

/** The advice about a variable that replaced the search, and led nowhere. */
function unsetAdvice(findings: readonly Finding[]): string {
  const replaced = findings.find(({ subject, path, taken }) =>
    subject === "variable" && taken && /^VK_(DRIVER_FILES|ICD_FILENAMES)$/.test(path)
  );
  return replaced ? `unset ${replaced.path}, which is "${replaced.value}" and replaces the search, ` : "";
}

/** The groups in order, with their headings and with the words for findings that counted or did not. */
const GROUPS: readonly (readonly [FindingSubject, heading: string, yes: string, no: string])[] = [
  ["platform", "Platform", "", ""],
  ["setting", "Settings", "obeyed", "no effect"],
  ["property", "Properties", "set", "unset"],
  ["variable", "Variables", "honoured", "ignored"],
  ["folder", "Folders", "read", "skipped"],
  ["manifest", "Manifests", "read", "refused"],
  ["driver", "Drivers", "taken", "refused"],
  ["layer", "Layers", "taken", "refused"],
  ["plane", "Planes", "as asked", "client"],
];
/** In a group with a longer name than this, reasons have lines of their own. */
const WIDEST = 44;
/** Subjects whose origin adds nothing to the heading. */
const SELF_EVIDENT: ReadonlySet<FindingSubject> = new Set(["platform", "setting", "variable", "plane"]);

/**
 * Findings for a person to read, those of any `explain()`: grouped by subject, in
 * columns, with the origin behind the reason where it says more than the group
 * does.
 *
 * @example A driver that was taken
 * ```ts
 * import { assertEquals } from "@std/assert";
 *
 * import { explainText } from "@pumice/gfx/loader";
 *
 * const text = explainText([
 *   { subject: "driver", path: "/x.so", origin: "driver option", taken: true, reason: "opened as icd" },
 * ]);
 * assertEquals(text, "Drivers\n  taken    /x.so  opened as icd (driver option)");
 * ```
 */
export function explainText(findings: readonly Finding[]): string {
  return GROUPS.flatMap(([subject, heading, yes, no]) => {
    const members = findings.filter((finding) => finding.subject === subject);
    return members.length === 0 ? [] : [heading, ...rows(members, yes, no)];
  }).join("\n");
}

/** Formats each finding on one line if all fit, otherwise with the reason on a line of its own. */
function rows(members: readonly Finding[], yes: string, no: string): string[] {
  const names = members.map(({ path, value }) => value === undefined ? path : `${path}=${value}`);
  const widest = Math.max(...names.map((name) => [...name].length)), word = Math.max(yes.length, no.length);
  return members.map((finding, index) => {
    const start = `  ${(finding.taken ? yes : no).padEnd(word)}${word > 0 ? "  " : ""}`;
    if (widest > WIDEST) return `${start}${names[index]}\n${" ".repeat(start.length + 2)}${reasonOf(finding)}`;
    return `${start}${names[index].padEnd(widest)}  ${reasonOf(finding)}`;
  });
}

/** Returns the reason, and the origin if it adds something. */
function reasonOf({ subject, path, origin, reason }: Finding): string {
  const flat = reason.replace(/\s*\n\s*/g, " ");
  if (subject === "property") return `from ${origin}`;
  return SELF_EVIDENT.has(subject) || origin === path ? flat : `${flat} (${origin})`;
}
