/**
 * Values that no command may pass on to a driver, by the form of the parameter
 * or member that gets them.
 *
 * @module
 */
import { type Form, formOf } from "../../../../loader/codec/layout/form.ts";
import { type Field, type Kind, type Layout, layoutOf } from "../../../../loader/codec/layout/layout.ts";
import { countThatAsks, isRequiredAlone } from "../../../../loader/codec/closures/put.ts";
import { isAsked, type Parameter, type Plan } from "../../../../loader/command/plan.ts";
import { goodStruct } from "./good_values.ts";

const NOTHING = [undefined, null], NO_TEXT = [5, {}, [], true], NO_ARRAY = [5, "x", {}, true, [undefined]];
const STRANGE = ["x", {}, [], () => 1, Symbol("strange")];
/** Structs inside others are spoilt this deep. */
const DEEPEST = 1;

/** Makes bad values; `stranger` is an object of the library that no command takes as an argument. */
export class BadValues {
  readonly #stranger: object;

  constructor(stranger: object) {
    this.#stranger = stranger;
  }

  /** Bad arguments for a parameter. */
  of(plan: Plan, parameter: Parameter): unknown[] {
    const { role, kind, type, stars, full } = parameter, absent = isAsked(plan, parameter) ? NOTHING : [];
    switch (role) {
      case "struct":
        return [...this.#scalars(kind), ...absent, ...this.#structs(layoutOf(type))];
      case "array":
        if (stars > 1) return [5, "x", {}, [5], [undefined], ...absent];
        return [...NO_ARRAY, ...absent, ...this.#elements(kind, type), ...full ? [[null], [0n]] : []];
      case "text":
        return [...NO_TEXT, 5n, ...absent];
      case "data":
        return [5, "x", {}, true, ...absent];
      case "value":
        return [...this.#values(parameter), ...kind === "h" && parameter.required ? [...NOTHING, 0n] : []];
      default:
        return [];
    }
  }

  #elements(kind: Kind, type: string): unknown[] {
    const structs = kind === "struct" ? this.#structs(layoutOf(type)) : [];
    return [...this.#scalars(kind), ...structs].map((each) => [each]);
  }

  /** Numbers may be booleans in arguments. */
  #values({ kind, optional }: Parameter): unknown[] {
    return [...this.#scalars(kind), ...kind === "h" || optional ? [] : NOTHING];
  }

  #scalars(kind: Kind): unknown[] {
    switch (kind) {
      case "h":
        return [...STRANGE, 5, true, NaN, -1n, 2n ** 64n, this.#stranger];
      case "p":
        return [...STRANGE, 5, true];
      case "u64":
      case "i64":
        return [...STRANGE, 5, true, NaN, 2n ** 64n];
      case "bool":
        return [...STRANGE, 2, NaN, 5n];
      case "f32":
      case "f64":
        return [...STRANGE, 5n];
      case "str":
        return [...NO_TEXT];
      case "struct":
        return [5, "x", [], () => 1, Symbol("strange"), true, NaN];
      default:
        return [...STRANGE, NaN, 1.5, 2 ** 53 + 2 ** 40, -(2 ** 33), Infinity].concat(
          kind === "usize" ? [-1, -1n] : [5n],
        );
    }
  }

  /** Good structs but for one member each, which is bad or missing; members' structs too. */
  #structs(layout: Layout, depth = 0): unknown[] {
    const good = goodStruct(layout);
    return layout.fields.flatMap((field) => {
      const { name } = field, { [name]: _, ...rest } = good, spoilt = this.#members(layout, field);
      if (layout.union) return spoilt.map((value) => ({ [name]: value }));
      const isMissed = name in good && (isRequiredAlone(layout, field) || countThatAsks(layout, field));
      const isDeeper = name in good && field.kind === "struct" && depth < DEEPEST;
      return [
        ...spoilt.map((value) => ({ ...rest, [name]: value })),
        ...isMissed ? [rest] : [],
        ...isDeeper ? this.#inner(layout, field, rest, depth) : [],
      ];
    });
  }

  #inner(layout: Layout, field: Field, rest: object, depth: number): object[] {
    const isAlone = ["one", "nested"].includes(formOf(layout, field));
    return this.#structs(layoutOf(field.type), depth + 1).map((value) => ({
      ...rest,
      [field.name]: isAlone ? value : [value],
    }));
  }

  #members(layout: Layout, field: Field): unknown[] {
    const form = formOf(layout, field), own = this.#scalars(field.kind);
    if (form === "one" && field.kind === "struct" || !(form in BY_FORM)) return own;
    const elements = ["list", "many", "pointers"].includes(form) ? own.map((value) => [value]) : [];
    return [...BY_FORM[form]!, ...elements, ...field.full ? [[null], [0n]] : []];
  }
}

/** Bad values of the forms that are more than a scalar or a struct. */
const BY_FORM: Partial<Record<Form, unknown[]>> = {
  sType: [9_999_999, "x", {}],
  chain: [5, "x", [{}], [5], [{ sType: 3.5 }], {}, () => 1],
  string: NO_TEXT,
  chars: [...NO_TEXT, 5n],
  strings: [5, "x", {}, [5], [undefined], [null]],
  list: [5, "x", {}, Array(999).fill(0)],
  grid: [5, "x", {}, [5]],
  many: NO_ARRAY,
  pointers: NO_ARRAY,
  bytes: [5, "x", {}, [NaN], [1.5], ["x"]],
  address: [...STRANGE, 5, true],
  bits: ["x", {}, NaN, -1, 2 ** 33, 1.5],
};
