import type { RecordedLine } from "../record/line.ts";

const NAME = /^Vk\w+#\d+$/;

/** Returns the names of objects that a value mentions. */
export function namesOf(value: unknown, found = new Set<string>()): Set<string> {
  if (typeof value === "string") return NAME.test(value) ? found.add(value) : found;
  if (typeof value !== "object" || value === null || ArrayBuffer.isView(value)) return found;
  for (const each of Array.isArray(value) ? value : Object.values(value)) namesOf(each, found);
  return found;
}

/** Returns the names that a line needs to be there. */
export function usedBy(line: RecordedLine): Set<string> {
  if ("command" in line) return namesOf(line.args);
  return namesOf("write" in line ? line.write : "read" in line ? line.read : "");
}

/** Returns the names that a line makes, or gets from the objects it asks. */
export function madeBy(line: RecordedLine): Set<string> {
  return "command" in line ? namesOf(line.out ?? {}) : new Set();
}
