import { Library, RTLD_LAZY, RTLD_NODELETE, RTLD_NOLOAD } from "../../../ffi/library/library.ts";
import { type Host, isElevated } from "../host/host.ts";
import { type Finding, MAY_NOT_BE_READ } from "../report/finding.ts";

/** The environment as a search may use it. Used and ignored variables are reported. */
export class Variables {
  readonly #host: Host;
  readonly #report: Finding[];
  #elevated: boolean | undefined;

  /** Reads from `host` and appends findings to `report`. */
  constructor(host: Host, report: Finding[]) {
    this.#host = host;
    this.#report = report;
  }

  /** Returns the value of a variable that an elevated process ignores; `""` if it is unset or ignored. */
  read(name: string): string {
    const value = this.#get(name) ?? "";
    if (value === "") return value;
    if (!(this.#elevated ??= isElevated(this.#host))) return this.#warned(name, value);
    const reason =
      "ignored, because this process has other rights than whoever started it (setuid, setgid or the like)";
    const message = `Loader is running with elevated permissions. Environment variable ${name} will be ignored`;
    this.#add({ path: name, value, taken: false, reason, level: "warning", message });
    return "";
  }

  /**
   * Like {@linkcode Variables.read}, with a finding about the value's effect. A
   * finding has a `message` if the Khronos loader warns of the variable, which
   * it does of those that enable layers.
   */
  honour(name: string, effect: string, message?: (value: string) => string): string {
    const value = this.read(name);
    if (value !== "") {
      this.#add({
        path: name,
        value,
        taken: true,
        reason: effect,
        ...message && { level: "warning", category: "layer", message: message(value) },
      });
    }
    return value;
  }

  /**
   * Returns a variable's value whatever the process's rights, for variables
   * that can only turn installed files off or on.
   */
  harmless(name: string): string | undefined {
    return this.#get(name);
  }

  /** Reports that a set variable is ignored because of another, or of a file. `said`: what the Khronos loader says. */
  ignore(name: string, because: string, said?: (value: string) => Partial<Finding>): void {
    const value = this.read(name);
    if (value !== "") {
      this.#add({ path: name, value, taken: false, reason: because, level: "warning", ...said?.(value) });
    }
  }

  #warned(name: string, value: string): string {
    const reason = notUtf8(value);
    if (reason) this.#add({ path: name, value, taken: true, reason, level: "warning" });
    return value;
  }

  #get(name: string): string | undefined {
    try {
      return this.#host.env(name);
    } catch {
      const reason = `${MAY_NOT_BE_READ}, counts as unset; allow it with --allow-env=${name}`;
      this.#add({ path: name, taken: false, reason, level: "debug" });
      return undefined;
    }
  }

  #add(finding: Omit<Finding, "subject" | "origin">): void {
    this.#report.push({ subject: "variable", origin: "environment", ...finding });
  }
}

/** Returns advice for a text whose bytes are not UTF-8 (shown as U+FFFD); `undefined` for any other text. */
export function notUtf8(text: string): string | undefined {
  if (!text.includes("\uFFFD")) return undefined;
  return "has bytes that are not UTF-8, and what they name cannot be opened; rename it, or give a link to it";
}

/** The most filters that the Khronos loader takes from one variable, and the most bytes of each. */
const MOST_FILTERS = 16, MOST_LENGTH = 255;
/** Patterns that match every name. */
const EVERYTHING = new Set(["*", "**", "~all~"]);

/** A test for names, from `VK_LOADER_DRIVERS_SELECT` and similar variables. */
export type NameFilter = (name: string) => boolean;

/**
 * Parses a comma-separated list of patterns: a whole name, `prefix*`,
 * `*suffix`, `*part*` or `*`, in any case. Returns `undefined` for an empty
 * list.
 *
 * @example Any of several patterns
 * ```ts
 * import { assertEquals } from "@std/assert";
 *
 * const matches = parseFilter("lvp*,*NVIDIA*")!;
 * assertEquals(["lvp_icd.json", "nvidia_icd.json", "intel_icd.json"].map(matches), [true, true, false]);
 * ```
 */
export function parseFilter(list: string): NameFilter | undefined {
  const patterns = list.split(",").filter((pattern) => pattern !== "").slice(0, MOST_FILTERS);
  if (patterns.length === 0) return undefined;
  const tests = patterns.map((pattern) => parsePattern(pattern.slice(0, MOST_LENGTH).toLowerCase()));
  return (name) => tests.some((test) => test(name.toLowerCase()));
}

function parsePattern(pattern: string): NameFilter {
  if (EVERYTHING.has(pattern)) return () => true;
  const open = pattern.startsWith("*"), ended = pattern.endsWith("*");
  const word = pattern.slice(open ? 1 : 0, ended ? -1 : undefined);
  if (open && ended) return (name) => name.includes(word);
  if (open) return (name) => name.endsWith(word);
  return ended ? (name) => name.startsWith(word) : (name) => name === word;
}

const VARIABLE = "VK_LOADER_DISABLE_DYNAMIC_LIBRARY_UNLOADING";

/**
 * Whether drivers and layers stay loaded after they are closed, for tools that
 * name functions by their addresses. The reason is appended to `report`.
 */
export function libraryStays(host: Host, report: Finding[]): boolean {
  return new Variables(host, report).honour(VARIABLE, "libraries stay loaded when they are closed") === "1";
}

/** Keeps loaded libraries loaded. */
export function keepLoaded(paths: readonly string[]): void {
  for (const path of paths) Library.open(path, RTLD_LAZY | RTLD_NOLOAD | RTLD_NODELETE).close();
}
