import type { TraceHeader, TraceLine, TraceReturn } from "./line.ts";
import type { TextLines } from "./text_lines.ts";

/**
 * Formats a trace as text, one line for each call: enums, flags, structs of a
 * chain and results by their names, without members that are null. A call that
 * did not return comes last. The names are loaded at the first call; hence the
 * promise.
 *
 * @param lines The lines that {@linkcode apiTrace} wrote, parsed or not, such
 *   as a file's `text.split("\n")`. Empty lines are skipped.
 * @throws {SyntaxError} if a line is not JSON; the error has its number.
 * @throws {TypeError} if the first line does not say that this is a trace of a
 *   known version, or another line is no call.
 *
 * @example A call
 * ```ts
 * import { traceText } from "@pumice/gfx/layers";
 * import { assertEquals } from "@std/assert";
 *
 * const lines = [
 *   '{"schema":"pumice-api-trace","version":1}',
 *   '{"call":1,"frame":0,"command":"vkCreateEvent","in":{"device":"0x7f","pCreateInfo":{"flags":1},"pAllocator":null}}',
 *   '{"call":1,"command":"vkCreateEvent","out":{"pEvent":"0x55"},"result":0,"us":3.2}',
 * ];
 * assertEquals(await traceText(lines), [
 *   "#1 frame 0: vkCreateEvent(device=0x7f, pCreateInfo={flags=VK_EVENT_CREATE_DEVICE_ONLY_BIT})" +
 *   " = VK_SUCCESS, pEvent=0x55 (3.2 µs)",
 * ]);
 * ```
 */
export async function traceText(lines: Iterable<string | TraceLine>): Promise<string[]> {
  const { TextLines } = await import("./text_lines.ts");
  return textOf(lines, new TextLines());
}

/** As {@linkcode traceText}, with the names loaded. */
export function textOf(lines: Iterable<string | TraceLine>, text: TextLines): string[] {
  return [...[...parsed(lines)].flatMap((line) => text.take(line) ?? []), ...text.rest()];
}

function* parsed(lines: Iterable<string | TraceLine>): Generator<TraceLine> {
  let number = 0, first = true;
  for (const given of lines) {
    number++;
    if (typeof given === "string" && given.trim() === "") continue;
    const line = typeof given === "string" ? parsedLine(given, number) : given;
    if (first) checkHeader(line);
    else if (isDeep(line)) refuse(number, "its lists and objects are nested too deeply");
    else if (!isCall(line)) refuse(number, `${JSON.stringify(line).slice(0, SHOWN)} is no call`);
    first = false;
    yield line;
  }
}

/** Characters of a wrong line that an error shows, and levels of values that no struct of the registry has. */
const SHOWN = 200, DEEPEST = 64;

function isDeep(value: unknown, left = DEEPEST): boolean {
  if (typeof value !== "object" || value === null) return false;
  return left === 0 || Object.values(value).some((each) => isDeep(each, left - 1));
}

function parsedLine(text: string, number: number): TraceLine {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new SyntaxError(`Cannot read line ${number} of the trace: ${(error as Error).message}`, { cause: error });
  }
}

function checkHeader(line: TraceLine): void {
  const { schema, version } = (line ?? {}) as Partial<TraceHeader>;
  if (schema === "pumice-api-trace" && version === 1) return;
  throw new TypeError(
    `Cannot read the trace: its first line is ${JSON.stringify(line)}; give all lines of a trace of version 1`,
  );
}

/** Whether a line is a call's begin or end: files come from anywhere. */
function isCall(line: TraceLine): boolean {
  if (typeof line !== "object" || line === null || !("call" in line)) return false;
  const fields = "in" in line ? line.in : line.out, outcome = line as Partial<TraceReturn>;
  return typeof line.call === "number" && typeof line.command === "string" && typeof fields === "object" &&
    fields !== null && ["string", "undefined"].includes(typeof outcome.threw);
}

function refuse(number: number, reason: string): never {
  throw new TypeError(`Cannot read line ${number} of the trace: ${reason}`);
}
