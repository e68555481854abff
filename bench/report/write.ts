import { GROUPS } from "../groups.ts";
import { reportFiles } from "./page.ts";
import { readRecords } from "./record.ts";

const ROOT = new URL("../../", import.meta.url);

/** Writes the page and its charts from all records. Returns the page's path in the project. */
export async function writePage(): Promise<string> {
  const files = reportFiles(readRecords(), [...GROUPS.keys()]);
  await Deno.mkdir(new URL("docs/benchmarks/", ROOT), { recursive: true });
  for (const [path, text] of files) await Deno.writeTextFile(new URL(path, ROOT), text);
  return "docs/benchmarks.md";
}
