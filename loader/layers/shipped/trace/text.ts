import type { TraceLine } from "./line.ts";

/**
 * Formats a trace as text, one line for each call: enums, flags, structs of a
 * chain and results by their names, without members that are null. A call that
 * did not return comes last. The names are loaded at the first call; hence the
 * promise.
 *
 * @param lines The lines that {@linkcode apiTrace} wrote, parsed or not, such
 *   as a file's `text.split("\n")`. Empty lines are skipped.
 * @throws {SyntaxError} if a line is not JSON.
 * @throws {TypeError} if the first line does not say that this is a trace of a
 *   known version.
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
  const text = new (await import("./text_lines.ts")).TextLines();
  return [...[...parsed(lines)].flatMap((line) => text.take(line) ?? []), ...text.rest()];
}

function* parsed(lines: Iterable<string | TraceLine>): Generator<TraceLine> {
  let first = true;
  for (const given of lines) {
    if (typeof given === "string" && given.trim() === "") continue;
    const line = typeof given === "string" ? JSON.parse(given) as TraceLine : given;
    if (first) checkHeader(line);
    first = false;
    yield line;
  }
}

function checkHeader(line: TraceLine): void {
  if ("schema" in line && line.schema === "pumice-api-trace" && line.version === 1) return;
  throw new TypeError(
    `Cannot read the trace: its first line is ${JSON.stringify(line)}; give all lines of a trace of version 1`,
  );
}
