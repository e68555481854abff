import { inFrame } from "../arena.ts";
import { either, type OptionRule, record, text, typed } from "../check_options.ts";
import { cstring, readCString } from "../cstring.ts";
import { NativeError } from "../error.ts";
import { libcAddress } from "../libc.ts";
import { invokeAddress } from "../machine.ts";

/** Android's system properties. */
export interface Properties {
  /** The source of the properties, for messages. */
  readonly origin: string;
  /** The value of a property; `""` if the property is not set. */
  get(name: string): string;
}

/** A source of system properties: an object, a file (build.prop or the output of `getprop`), or this device. */
export type PropertySource = Readonly<Record<string, string>> | "device" | (string & Record<never, never>);

/** The rule for an option that takes a property source. A file is only opened later, so an unreadable file passes. */
export const PROPERTIES_RULE: OptionRule = (value) => {
  const wanted =
    `an object of texts by the properties' names, "device", or the path of a build.prop or of what getprop printed`;
  return either(text(wanted), record(wanted, typed("a text", "string")))(value);
};

/** The size of the longest value that `__system_property_get` writes, with the NUL (PROP_VALUE_MAX). */
const PROP_VALUE_MAX = 92;

/**
 * Reads system properties from an object, from a file (a build.prop, or the
 * output of the `getprop` program), or from this device (`"device"`). Throws a
 * {@linkcode NativeError} if the file cannot be read, or if `"device"` is asked
 * for on a system other than Android.
 *
 * @example From an object
 * ```ts
 * import { assertEquals } from "@std/assert";
 *
 * const properties = systemProperties({ "ro.board.platform": "sun" });
 * assertEquals(properties.get("ro.board.platform"), "sun");
 * assertEquals(properties.get("ro.hardware.vulkan"), "");
 * ```
 */
export function systemProperties(source: PropertySource): Properties {
  if (typeof source === "object") return { origin: "systemProperties option", get: (name) => source[name] ?? "" };
  if (source !== "device") return propertiesOf(source, parseProperties(readText(source)));
  const address = libcAddress("__system_property_get");
  if (address !== 0n) return deviceProperties(address);
  throw new NativeError(
    "unsupported",
    'Cannot read "device" properties: this system is no Android; give an object, a build.prop or the output of getprop',
  );
}

/** Properties read by calling `int __system_property_get(const char *name, char *value)` at an address. */
export function deviceProperties(getter: bigint): Properties {
  const get = (name: string) => {
    return inFrame((memory) => {
      const value = memory.alloc(PROP_VALUE_MAX);
      memory.bytes[value] = 0;
      invokeAddress(getter, "s:qq", [memory.place(cstring(name)), memory.address(value)]);
      return readCString(memory.address(value), PROP_VALUE_MAX);
    });
  };
  return { origin: "device", get };
}

/** Properties of a map. */
export function propertiesOf(origin: string, values: ReadonlyMap<string, string>): Properties {
  return { origin, get: (name) => values.get(name) ?? "" };
}

/** A property file has some kilobytes. A larger file is something else. */
const MOST_BYTES = 1 << 22;

function readText(path: string): string {
  const refusal = (code: NativeError["code"], what: string, cause?: unknown) => {
    const message = `Cannot read properties from "${path}": ${what}; give a build.prop or getprop's output`;
    return new NativeError(code, message, { path, cause });
  };
  try {
    const { isFile, isDirectory, size } = Deno.statSync(path);
    // Reading a pipe or a device might never end.
    if (!isFile) throw refusal("not-a-file", isDirectory ? "found a folder" : "found no regular file");
    if (size > MOST_BYTES) throw refusal("not-a-file", `found a file of ${size} bytes`);
    return Deno.readTextFileSync(path);
  } catch (cause) {
    if (cause instanceof NativeError || cause instanceof Deno.errors.NotCapable) throw cause;
    const isMissing = cause instanceof Deno.errors.NotFound;
    throw refusal("not-found", isMissing ? "found no such file" : (cause as Error).message, cause);
  }
}

/** A value ends with a bracket that is followed by the next name or by the end of the text. */
const PRINTED = /^\[([^\]\n]+)\]: \[/gm;

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
  const printed = printedIn(text);
  return new Map(printed.length > 0 ? printed : text.split("\n").flatMap(assignment));
}

/**
 * The lines that `getprop` prints. A value may have several lines, also such that look like another property: it ends
 * with the first bracket that closes before a property or the end of the text.
 */
function printedIn(text: string): [string, string][] {
  const begins = [...text.matchAll(PRINTED)], found: [string, string][] = [];
  for (let index = 0; index < begins.length; index++) {
    const [whole, name] = begins[index], start = begins[index].index + whole.length;
    let last = index, end = -1;
    for (; end < 0 && last < begins.length; last++) end = closeBefore(text, begins[last + 1]?.index);
    if (end < start) break; // nothing closes any more
    found.push([name, text.slice(start, end)]);
    index = last - 1;
  }
  return found;
}

/** The place of a closing bracket right before the next property, or before the end; -1 if there is none. */
function closeBefore(text: string, next: number | undefined): number {
  if (next === undefined) return closed(text.trimEnd());
  const end = text[next - 2] === "\r" ? next - 2 : next - 1;
  return text[end - 1] === "]" ? end - 1 : -1;
}

function closed(text: string): number {
  return text.endsWith("]") ? text.length - 1 : -1;
}

function assignment(line: string): [string, string][] {
  const equals = line.indexOf("=");
  if (equals <= 0 || line.trimStart().startsWith("#")) return [];
  return [[line.slice(0, equals).trim(), line.slice(equals + 1).trim()]];
}
