import { kindOf } from "../../../codec/layout/layout.ts";
import { FLAGS, FLAGS64 } from "../../../gen/structs_gen.js";

/** A whole number as traces have it. */
const WHOLE = /^(-?\d+|0x[\da-f]+)$/i;

/** Names the values of enums and flags, from the generated names. */
export class Names {
  readonly #table: string;
  readonly #known = new Map<string, ReadonlyMap<bigint, string>>();

  /** Reads the text of `enum_names_gen.js`. */
  constructor(table: string) {
    this.#table = table;
  }

  /** Returns a number of a type as C would write it; `undefined` for types other than enums and flags, and for no number. */
  of(type: string, value: number | string): string | undefined {
    const names = this.#valuesOf(type);
    if (names.size === 0 || !WHOLE.test(`${value}`)) return undefined;
    const number = BigInt(value);
    return [FLAGS, FLAGS64].some((list) => list.includes(` ${type} `))
      ? combined(names, number)
      : names.get(number) ?? `${value}`;
  }

  /**
   * Returns the number of an enumerant of a type. The first, extension-suffixed
   * name works as well. `undefined` if there is none.
   */
  value(type: string, name: string): bigint | undefined {
    const plain = name.replace(/_(KHR|EXT|[A-Z]+)$/, "");
    for (const [value, each] of this.#valuesOf(type)) if (each === name) return value;
    for (const [value, each] of this.#valuesOf(type)) if (each === plain) return value;
    return undefined;
  }

  #valuesOf(type: string): ReadonlyMap<bigint, string> {
    let values = this.#known.get(type);
    if (!values) this.#known.set(type, values = parse(this.#lineOf(type)));
    return values;
  }

  /** Type names are between blanks. Scalars have none, and an enum's name begins with Vk. */
  #lineOf(type: string): string {
    if (!type.startsWith("Vk") || kindOf(type) === "struct") return "";
    const found = this.#table.indexOf(` ${type} `);
    if (found < 0) return "";
    return this.#table.slice(this.#table.indexOf(" : ", found) + 3, this.#table.indexOf("\n", found));
  }
}

function parse(line: string): Map<bigint, string> {
  const [prefix, ...values] = line.split(" ");
  return new Map(values.map((each) => {
    const [name, value] = each.split("=");
    return [BigInt(value), prefix + name];
  }));
}

/** Names single bits. Bits without a name stay a number. */
function combined(names: ReadonlyMap<bigint, string>, value: bigint): string {
  const whole = names.get(value);
  if (whole !== undefined || value === 0n) return whole ?? "0";
  const parts: string[] = [];
  let rest = value;
  for (const [bit, name] of names) {
    if (bit <= 0n || (bit & (bit - 1n)) !== 0n || (rest & bit) === 0n) continue;
    parts.push(name);
    rest &= ~bit;
  }
  if (rest !== 0n) parts.push(`0x${rest.toString(16)}`);
  return parts.join(" | ");
}
