import { kindOf, type Layout, layoutOf, nameOfSType } from "../../../codec/layout/layout.ts";
import { findCommand } from "../../../command/registry/table.ts";
import { ENUM_NAMES } from "../../../gen/enum_names_gen.js";
import { resultName } from "../../../error.ts";
import type { TraceCall, TraceFields, TraceReturn, TraceValue } from "./line.ts";
import { Names } from "./names.ts";

/** The most items of a list of numbers that are shown. */
const SHOWN = 16;
/** The shown digits of the SHA-256 that names bytes of a recording. */
const DIGITS = 12;

/** Writes values with the names of their types. */
export class TextWriter {
  readonly #names = new Names(ENUM_NAMES);

  /** Formats a call. */
  call({ call, frame, command, in: given }: TraceCall): string {
    return `#${call} frame ${frame}: ${command}(${this.#parameters(command, given)})`;
  }

  /** Formats a call of a recording, in which structs of a chain have names. */
  recorded(command: string, args: Readonly<Record<string, unknown>>): string {
    return `${command}(${this.#parameters(command, args as TraceFields)})`;
  }

  /** Formats the members of a struct of a recording. */
  members(name: string, fields: Readonly<Record<string, unknown>>): string {
    return this.#struct(layoutOf(name), fields as TraceFields);
  }

  /** Formats the outcome, which follows the call. */
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
    if (typeof fields.sType === "string") {
      const { sType, ...members } = fields;
      return `${sType}${this.#struct(layoutOf(sType), members)}`;
    }
    if (typeof fields.data === "string") return `<${fields.data.slice(0, DIGITS)}…>`;
    if (typeof fields.bytes === "string" && (type === "u8" || type === "void")) {
      return `<${fields.bytes.length / 2} bytes>`;
    }
    return this.#struct(type === "" || kindOf(type) !== "struct" ? undefined : layoutOf(type), fields);
  }

  /** Formats a struct of a chain: by its name, or by its number if the registry has none. */
  #link(sType: number, { sType: _, ...members }: TraceFields): string {
    const name = nameOfSType(sType);
    return `${name ?? `sType ${sType} `}${this.#struct(name === undefined ? undefined : layoutOf(name), members)}`;
  }

  #struct(layout: Layout | undefined, fields: TraceFields): string {
    const typeOf = (name: string) => layout?.fields.find((field) => field.name === name)?.type ?? "";
    return `{${this.#fields(fields, typeOf)}}`;
  }
}
