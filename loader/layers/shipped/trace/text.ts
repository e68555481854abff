import { type Layout, layoutOf } from "../../../codec/layout.ts";
import { kindOf, nameOfSType } from "../../../codec/tables.ts";
import { findCommand } from "../../../command/table.ts";
import { resultName } from "../../../result.ts";
import type { TraceCall, TraceFields, TraceLine, TraceReturn, TraceValue } from "./line.ts";
import { Names } from "./names.ts";

/** Items of a list of numbers that are shown. */
const SHOWN = 16;

/**
 * Turns a trace into text, one line for each call: enums, flags, structs of a
 * chain and results by their names, members that are null left out. A call that
 * did not return comes last. The names are loaded at the first call, which is
 * why there is a promise to wait for.
 *
 * @param lines The lines that {@linkcode apiTrace} wrote, parsed or not, such as a file's `text.split("\n")`; empty
 * ones are passed over.
 * @throws {SyntaxError} when a line is no JSON.
 * @throws {TypeError} when the first line does not say that this is a trace of a version known here.
 *
 * @example A call
 * ```ts
 * import { traceText } from "@pumice/gfx/loader";
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
  const writer = new Writer(new Names((await import("../../../gen/enum_names_gen.js")).ENUM_NAMES));
  const pending = new Map<number, TraceCall>(), text: string[] = [];
  for (const line of parsed(lines)) {
    if ("in" in line) pending.set(line.call, line);
    else if ("call" in line) {
      const call = pending.get(line.call);
      pending.delete(line.call);
      text.push(`${call ? writer.call(call) : `#${line.call}: ${line.command}`}${writer.outcome(line)}`);
    }
  }
  return [...text, ...[...pending.values()].map((call) => `${writer.call(call)} did not return`)];
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

/** Writes values with the names that their types give them. */
class Writer {
  readonly #names: Names;

  constructor(names: Names) {
    this.#names = names;
  }

  call({ call, frame, command, in: given }: TraceCall): string {
    return `#${call} frame ${frame}: ${command}(${this.#parameters(command, given)})`;
  }

  outcome({ command, out, result, us, threw }: TraceReturn): string {
    if (threw !== undefined) return ` threw ${threw}`;
    const named = typeof result === "number" && findCommand(command)?.result === "VkResult";
    const value = result === undefined ? [] : [` = ${named ? resultName(result) : result}`];
    const written = this.#parameters(command, out);
    return `${[...value, ...written ? [written] : []].join(", ").replace(/^(?! |$)/, " → ")} (${us} µs)`;
  }

  #parameters(command: string, fields: TraceFields): string {
    const types = new Map(findCommand(command)?.params.map(({ name, type }) => [name, type]));
    return this.#fields(fields, (name) => types.get(name) ?? "");
  }

  #fields(fields: TraceFields, typeOf: (name: string) => string): string {
    return Object.entries(fields).filter(([, value]) => value !== null)
      .map(([name, value]) => `${name}=${this.#value(typeOf(name), value)}`).join(", ");
  }

  #value(type: string, value: TraceValue): string {
    if (Array.isArray(value)) return this.#list(type, value);
    if (typeof value === "object" && value !== null) return this.#object(type, value);
    if (typeof value === "string" && type === "str") return JSON.stringify(value);
    if (typeof value === "boolean" || value === null) return String(value);
    return this.#names.of(type, value) ?? String(value);
  }

  #list(type: string, items: readonly TraceValue[]): string {
    const shown = typeof items[0] === "number" ? items.slice(0, SHOWN) : items;
    const more = items.length > shown.length ? [`… ${items.length} in all`] : [];
    return `[${[...shown.map((item) => this.#value(type, item)), ...more].join(", ")}]`;
  }

  #object(type: string, fields: TraceFields): string {
    if (typeof fields.sType === "number") return this.#link(fields.sType, fields);
    if (typeof fields.bytes === "string" && (type === "u8" || type === "void")) {
      return `<${fields.bytes.length / 2} bytes>`;
    }
    return this.#struct(type === "" || kindOf(type) !== "struct" ? undefined : layoutOf(type), fields);
  }

  /** A struct of a chain, by its name, or by its number where the registry has none. */
  #link(sType: number, { sType: _, ...members }: TraceFields): string {
    const name = nameOfSType(sType);
    return `${name ?? `sType ${sType} `}${this.#struct(name === undefined ? undefined : layoutOf(name), members)}`;
  }

  #struct(layout: Layout | undefined, fields: TraceFields): string {
    const typeOf = (name: string) => layout?.fields.find((field) => field.name === name)?.type ?? "";
    return `{${this.#fields(fields, typeOf)}}`;
  }
}
