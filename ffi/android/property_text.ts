/** A value ends with a bracket that is followed by the next name or by the end of the text. */
const PRINTED = /^\[([^\]\n]+)\]: \[([\s\S]*?)\](?=\r?\n\[[^\]\n]+\]: \[|\s*(?![\s\S]))/gm;

/**
 * Parses the two texts that hold system properties: `name=value` lines of a
 * build.prop, and the `[name]: [value]` lines that the `getprop` program
 * prints. Comments, `import` lines and all other lines are ignored. If a name
 * occurs several times, the last value counts.
 *
 * @example A build.prop
 * ```ts
 * import { assertEquals } from "@std/assert";
 *
 * const properties = parseProperties("# build\nro.board.platform=sun\n");
 * assertEquals(properties.get("ro.board.platform"), "sun");
 * ```
 *
 * @example What getprop prints
 * ```ts
 * import { assertEquals } from "@std/assert";
 *
 * assertEquals(parseProperties("[ro.hardware.vulkan]: [adreno]").get("ro.hardware.vulkan"), "adreno");
 * ```
 */
export function parseProperties(text: string): Map<string, string> {
  const printed = [...text.matchAll(PRINTED)];
  if (printed.length > 0) return new Map(printed.map(([, name, value]) => [name, value]));
  return new Map(text.split("\n").flatMap(assignment));
}

function assignment(line: string): [string, string][] {
  const equals = line.indexOf("=");
  if (equals <= 0 || line.trimStart().startsWith("#")) return [];
  return [[line.slice(0, equals).trim(), line.slice(equals + 1).trim()]];
}
