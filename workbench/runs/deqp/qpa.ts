import { type DeqpCase, statusOf } from "./status.ts";

const CHARACTERS: Readonly<Record<string, string>> = { amp: "&", lt: "<", gt: ">", quot: '"', apos: "'" };

/** Returns the text that stands in XML. */
function xmlPlain(text: string): string {
  return text.replace(/&(amp|lt|gt|quot|apos|#\d+);/g, (_, name: string) => {
    return CHARACTERS[name] ?? String.fromCodePoint(Number(name.slice(1)));
  }).trim();
}

const BEGIN = "#beginTestCaseResult ", END = "#endTestCaseResult", TERMINATE = "#terminateTestCaseResult ";
const RESULT = /<Result\s+StatusCode="(\w+)"\s*(?:\/>|>([\s\S]*?)<\/Result>)/;
const DURATION = /<Number\s+Name="TestDuration"[^>]*>(\d+)</;

/** Parses a log of dEQP (QPA). A case that ended with its process is a `Crash`, unless the log has a status. */
export function parseQpa(text: string): DeqpCase[] {
  const results: DeqpCase[] = [];
  for (const part of `\n${text}`.split(`\n${BEGIN}`).slice(1)) {
    const name = part.slice(0, part.indexOf("\n")).trim();
    if (name !== "") results.push(caseOf(name, part));
  }
  return results;
}

function caseOf(name: string, part: string): DeqpCase {
  const end = part.indexOf(`\n${END}`), terminated = part.indexOf(`\n${TERMINATE}`);
  const result = end >= 0 ? RESULT.exec(part.slice(0, end)) : null, status = result && statusOf(result[1]);
  if (status) return { name, status, message: xmlPlain(result[2] ?? ""), ...secondsOf(part) };
  const word = terminated < 0 ? "" : part.slice(terminated + 1 + TERMINATE.length).split("\n")[0].trim();
  return { name, status: statusOf(word) ?? "Crash", message: word };
}

function secondsOf(part: string): { readonly seconds?: number } {
  const duration = DURATION.exec(part);
  return duration ? { seconds: Number(duration[1]) / 1e6 } : {};
}
