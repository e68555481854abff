import { DriverError } from "../../error.ts";

/** What a {@linkcode Finding} is about. */
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
  /** What kind of thing was looked at. */
  readonly subject: FindingSubject;
  /** The library, manifest or folder; the name of a variable, property or setting; the platform; a composer's layer. */
  readonly path: string;
  /** The value of a variable, property or setting; absent when it is not set. */
  readonly value?: string;
  /** How it came to be looked at: an option, a variable, the folder searched, the rule of the search. */
  readonly origin: string;
  /** Whether it counted: a driver or layer in use, a manifest that could be read, a variable that was honoured. */
  readonly taken: boolean;
  /** Why it was taken or not, as a sentence without a full stop. */
  readonly reason: string;
  /** What the Khronos loader says of it, word for word, where programs look for that in its messages; each line is one. */
  readonly message?: string;
  /** How loud the Khronos loader says that; `"plain"`: with a category alone. Absent: as `level`, but `"info"` for `"debug"`. */
  readonly messageLevel?: "error" | "warning" | "info" | "debug" | "plain";
  /** What it is about, where the subject does not tell: manifests are drivers' or, with `"layer"`, layers'. */
  readonly category?: "layer";
  /** How loud the log says it. Absent: `"info"`. */
  readonly level?: "error" | "warning" | "info" | "debug";
}

/** How the reason begins where Deno's permissions hide something. */
export const MAY_NOT_BE_READ = "may not be read";

/** A step of a search: its {@linkcode DriverError} carries what was looked at before, ahead of what it carries itself. */
export function carrying<T>(before: readonly Finding[], step: () => T): T {
  try {
    return step();
  } catch (error) {
    if (error instanceof DriverError) error.findings = [...before, ...error.findings];
    throw error;
  }
}
