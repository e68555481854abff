import type { VkjsonDifference } from "../../loader/vkjson/differences.ts";
import type { Json } from "../../loader/vkjson/json_value.ts";

/** The longest part of a value that is shown. */
const LONGEST = 48;
/** The widest column of paths; longer paths stick out. */
const WIDEST = 88;

/** Returns a table of differences with both names in its head, or a sentence if there is no difference. */
export function differenceText(found: readonly VkjsonDifference[], one: string, other: string): string {
  if (found.length === 0) return `${one} and ${other} say the same.`;
  const rows = [["", one, other], ...found.map((each) => [each.path, shown(each.one), shown(each.other)])];
  const widths = [0, 1].map((column) => Math.min(WIDEST, Math.max(...rows.map((row) => row[column].length))));
  const lines = rows.map(([path, ...values]) => [path.padEnd(widths[0]), values[0].padEnd(widths[1]), values[1]]);
  return lines.map((line) => line.join("  ").trimEnd()).join("\n");
}

/** Returns the text of a value; for an object that only one side has, "present". */
function shown(value: Json | undefined): string {
  if (value === undefined) return "-";
  if (value === true || typeof value === "object" && value !== null && !Array.isArray(value)) return "present";
  const text = typeof value === "string" ? value : JSON.stringify(value);
  return text.length > LONGEST ? `${text.slice(0, LONGEST - 1)}…` : text;
}
