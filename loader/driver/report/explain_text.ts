import type { Finding, FindingSubject } from "./finding.ts";

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
