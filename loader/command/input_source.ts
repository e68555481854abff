import { SCALARS } from "./scalar_source.ts";
import { countedBy, type Parameter, type Plan } from "./plan.ts";

/** Source of one argument: statements that run before the call, and the expression handed to native code. */
export interface ArgumentSource {
  /** Statements that place the argument in native memory; may be empty. */
  readonly before: string;
  /** The expression passed to the stub. */
  readonly argument: string;
}

/** Notes that the source uses the codec of a struct; returns the variable that holds it. */
export type UseCodec = (structName: string) => string;

/** Source for a parameter the caller gives, or whose value follows from another one. */
export function inputSource(plan: Plan, parameter: Parameter, useCodec: UseCodec): ArgumentSource {
  switch (parameter.role) {
    case "self":
      return { before: "", argument: "this.handle" };
    case "count":
      return { before: "", argument: countSource(plan, parameter) };
    case "struct":
      return structSource(plan, parameter, useCodec);
    case "array":
      return arraySource(plan, parameter, useCodec);
    case "text":
      return { before: "", argument: `$text(${parameter.variable}, ${label(plan, parameter)})` };
    case "data":
      return { before: "", argument: `$data(${parameter.variable}, ${label(plan, parameter)})` };
    default:
      return { before: "", argument: valueSource(plan, parameter) };
  }
}

function valueSource(plan: Plan, parameter: Parameter): string {
  const { variable, kind, required } = parameter;
  if (kind === "h" && required) return `$object(${variable}, ${label(plan, parameter)})`;
  return SCALARS[kind].check(variable, label(plan, parameter));
}

/** A string literal naming the parameter, for error messages. */
function label(plan: Plan, parameter: Parameter): string {
  return `"${plan.command.name}: ${parameter.name}"`;
}

/** The length of the arrays a count covers; they must agree, which is checked at the call. */
export function countSource(plan: Plan, count: Parameter): string {
  const arrays = countedBy(plan, count), what = label(plan, count), [{ role, variable }] = arrays;
  const length = arrays.length > 1
    ? `$sameLength([${arrays.map((each) => each.variable).join(", ")}], "${namesOf(arrays)}", ${what})`
    : `${role === "data" ? "$byteLength" : "$length"}(${variable}, ${what})`;
  return count.kind === "usize" || count.kind === "u64" ? `BigInt(${length})` : length;
}

/** The names of arrays that share a count, for {@linkcode sameLength}: a `+` marks those that may not be absent. */
export function namesOf(arrays: readonly Parameter[]): string {
  return arrays.map((each) => `${each.name}${each.required ? "+" : ""}`).join(" ");
}

function structSource(plan: Plan, parameter: Parameter, useCodec: UseCodec): ArgumentSource {
  const { variable } = parameter, place = `$at_${variable}`, codec = useCodec(parameter.type);
  const absent = parameter.optional ? "" : ` else $missing(${label(plan, parameter)});`;
  return {
    before: `let ${place} = 0; if (${variable} != null) { ${place} = $arena.alloc(${codec}.size); ` +
      `${codec}.encode(${variable}, ${place}); }${absent}`,
    argument: place,
  };
}

function arraySource(plan: Plan, parameter: Parameter, useCodec: UseCodec): ArgumentSource {
  const { variable } = parameter, place = `$at_${variable}`;
  const element = elementSource(plan, parameter, useCodec);
  const length = parameter.dims.length > 0
    ? `$exactly(${variable}, ${parameter.dims[0]}, ${label(plan, parameter)})`
    : `${variable}.length`;
  const absent = parameter.dims.length > 0 ? ` else $missing(${label(plan, parameter)});` : "";
  return {
    before: `let ${place} = 0; if (${variable} != null) { const $n = ${length}; ` +
      `let $q = ${place} = $arena.alloc($n * ${element.size}); ` +
      `for (let $i = 0; $i < $n; $i++, $q += ${element.size}) ${element.store(`${variable}[$i]`, "$q")} }${absent}`,
    argument: place,
  };
}

interface ElementSource {
  /** Expression for the bytes of one element. */
  readonly size: string;
  /** Statement that stores an element at the offset in variable `at`. */
  store(value: string, at: string): string;
}

function elementSource(plan: Plan, parameter: Parameter, useCodec: UseCodec): ElementSource {
  const element = flatElement(plan, parameter, useCodec);
  return parameter.stars > 1 ? { size: "8", store: (value, at) => nestedStore(element, value, at) } : element;
}

function flatElement(plan: Plan, parameter: Parameter, useCodec: UseCodec): ElementSource {
  if (parameter.kind === "struct") {
    const codec = useCodec(parameter.type);
    return { size: `${codec}.size`, store: (value, at) => `${codec}.encode(${value}, ${at});` };
  }
  const scalar = SCALARS[parameter.kind];
  return {
    size: String(scalar.size),
    store: (value, at) => scalar.store(at, scalar.check(value, label(plan, parameter))),
  };
}

/** An array of arrays: the inner one is placed, its address stored. */
function nestedStore(element: ElementSource, value: string, at: string): string {
  return `{ const $inner = ${value}; let $p = $arena.alloc($inner.length * ${element.size}); ` +
    `$m.setBigUint64(${at}, $arena.address($p), true); ` +
    `for (let $j = 0; $j < $inner.length; $j++, $p += ${element.size}) ${element.store("$inner[$j]", "$p")} }`;
}
