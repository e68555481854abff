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
  /** The category if the subject does not tell: manifests belong to drivers or, with `"layer"`, to layers. */
  readonly category?: "layer";
  /** The severity in the log. Default: `"info"`. */
  readonly level?: "error" | "warning" | "info" | "debug";
}

/** The beginning of reasons about missing permissions. */
export const MAY_NOT_BE_READ = "may not be read";

/** Runs one step of a search. A {@linkcode DriverError} of the step lists the earlier findings before its own. */
export function carrying<T>(before: readonly Finding[], step: () => T): T {
  try {
    return step();
  } catch (error) {
    if (error instanceof DriverError) error.findings = [...before, ...error.findings];
    throw error;
  }
}
