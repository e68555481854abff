import { DriverError } from "../../error.ts";

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
  /** Why it was looked at: an option, a variable, the searched folder, the rule of the search. */
  readonly origin: string;
  /** Whether it counted: a driver or layer in use, a readable manifest, an honoured variable. */
  readonly taken: boolean;
  /** Why it counted or not, as a sentence without a full stop. */
  readonly reason: string;
  /** The Khronos loader's message, word for word, if programs search for it. Each line is a message. */
  readonly message?: string;
  /**
   * The severity of the Khronos loader's message. `"plain"`: only a category.
   * Default: `level`, but `"info"` for `"debug"`.
   */
  readonly messageLevel?: "error" | "warning" | "info" | "debug" | "plain";
  /** More messages of the Khronos loader, of the severity `"debug"`, said before `message`. Each line is a message. */
  readonly details?: string;
  /** The category if the subject does not tell: manifests and variables belong to drivers or, with `"layer"`, to layers. */
  readonly category?: "layer";
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
