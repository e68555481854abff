import { layoutOf } from "../../codec/layout/layout.ts";
import { demandOf } from "../demands.ts";
import {
  countedBy,
  DISPATCHABLE,
  innerCount,
  isAsked,
  isFilled,
  namesIn,
  namesOf,
  type Parameter,
  type Plan,
  takesChain,
} from "../plan.ts";
import { SCALARS } from "./scalar_source.ts";

/** Source of one argument: statements that run before the call, and the expression for native code. */
export interface ArgumentSource {
  /** Statements that place the argument in native memory. May be empty. */
  readonly before: string;
  /** The expression passed to the stub. */
  readonly argument: string;
}

/** Notes that the source uses the codec of a struct. Returns the variable that holds it. */
export type UseCodec = (structName: string) => string;

/** Returns the source of a parameter that the caller gives, or whose value follows from another one. */
export function inputSource(plan: Plan, parameter: Parameter, useCodec: UseCodec): ArgumentSource {
  switch (parameter.role) {
    case "self":
      return { before: "", argument: `(this[$closed] ? $refuse("${plan.command.name}", this) : this.handle)` };
    case "count":
      return countedSource(plan, parameter);
    case "struct":
      return structSource(plan, parameter, useCodec);
    case "array":
      return arraySource(plan, parameter, useCodec);
    case "text":
      return { before: "", argument: pointerSource("$text", plan, parameter) };
    case "data":
      return { before: "", argument: pointerSource("$data", plan, parameter) };
    default:
      return { before: "", argument: valueSource(plan, parameter) };
  }
}

/** Returns the expression of a text or of bytes. */
function pointerSource(place: "$text" | "$data", plan: Plan, parameter: Parameter): string {
  const { variable } = parameter, what = label(plan, parameter);
  return `${place}(${isAsked(plan, parameter) ? `$present(${variable}, ${what})` : variable}, ${what})`;
}

/** The count is read once, before anything is placed, because encoding a struct may run code that changes an array. */
function countedSource(plan: Plan, count: Parameter): ArgumentSource {
  const name = countName(count), isWide = count.kind === "usize" || count.kind === "u64";
  return { before: `const ${name} = ${countSource(plan, count)};`, argument: isWide ? `BigInt(${name})` : name };
}

/** Returns the variable that holds a count. */
function countName({ variable }: Parameter): string {
  return `$count_${variable}`;
}

/** Returns the expression of a parameter by value, checked and converted. */
function valueSource(plan: Plan, parameter: Parameter): string {
  const { variable, kind, required, optional } = parameter;
  if (kind === "h") return handleSource(plan, parameter, variable, required);
  return SCALARS[kind].check(variable, label(plan, parameter), optional ? "$scalar" : "$asked");
}

/** Returns the expression of a handle, checked and converted. */
function handleSource(plan: Plan, parameter: Parameter, value: string, isRequired: boolean): string {
  return `${isRequired ? "$object" : "$handle"}(${value}, "${parameter.type}", ${label(plan, parameter)})`;
}

/** Returns a string literal with the parameter's name, for error messages. */
function label(plan: Plan, parameter: Parameter): string {
  return `"${plan.command.name}: ${parameter.name}"`;
}

/** Returns the length of the arrays of a count. The call checks that they agree. */
function countSource(plan: Plan, count: Parameter): string {
  const arrays = countedBy(plan, count), what = label(plan, count), [{ role, variable }] = arrays;
  return arrays.length > 1
    ? `$sameLength([${arrays.map((each) => each.variable).join(", ")}], "${namesOf(arrays)}", ${what})`
    : `${role === "data" ? "$byteLength" : "$length"}(${variable}, ${what})`;
}

function structSource(plan: Plan, parameter: Parameter, useCodec: UseCodec): ArgumentSource {
  const { variable } = parameter, place = `$at_${variable}`, codec = useCodec(parameter.type);
  const absent = parameter.optional ? "" : ` else $missing(${label(plan, parameter)});`;
  return {
    before: `let ${place} = 0; if (${variable} != null) { ${place} = $arena.alloc(${codec}.size); ` +
      `${codec}.encode(${variable}, ${place});${demandSource(plan, parameter, place)} }${absent}`,
    argument: place,
  };
}

/** Returns the statement that refuses a struct at a place which drivers do not survive; empty for most. */
function demandSource(plan: Plan, parameter: Parameter, at: string): string {
  if (!demandOf(plan.command.name, parameter.name)) return "";
  return ` $demand_${parameter.variable}(${at}, ${label(plan, parameter)});`;
}

function arraySource(plan: Plan, parameter: Parameter, useCodec: UseCodec): ArgumentSource {
  const { variable } = parameter, place = `$at_${variable}`;
  const element = elementSource(plan, parameter, useCodec);
  const absent = isAsked(plan, parameter) ? ` else $missing(${label(plan, parameter)});` : "";
  return {
    before: `let ${place} = 0; if (${variable} != null) { const $n = ${lengthSource(plan, parameter)}; ` +
      `let $q = ${place} = $arena.alloc($n * ${element.size}); ` +
      `for (let $i = 0; $i < $n; $i++, $q += ${element.size}) { const $v = ${variable}[$i]; ` +
      `if ($v === undefined) $noHole($v, $i, ${label(plan, parameter)}); ${element.store("$v", "$q")} } }${absent}`,
    argument: place,
  };
}

/** Returns how many elements of an array are placed: its count, or all elements if there are enough. */
function lengthSource(plan: Plan, parameter: Parameter): string {
  const { variable, dims, len } = parameter, what = label(plan, parameter);
  if (dims.length > 0) return `$exactly(${variable}, ${dims[0]}, ${what})`;
  const count = plan.parameters.find((each) => each.name === len && each.role === "count");
  if (count) return countName(count);
  const needed = len === "" ? "1" : `$evaluate("${len.replaceAll("->", "_")}", { ${neededSource(plan, len)} })`;
  return `$atLeast($length(${variable}, ${what}), ${needed}, ${what})`;
}

/** Returns the values of the names in a count expression: parameters, and members of placed structs. */
function neededSource(plan: Plan, len: string): string {
  return namesIn(plan, len).map(({ name, parameter, offset }) =>
    offset === undefined
      ? `${name}: ${parameter.variable}`
      : `${name}: $at_${parameter.variable} && $m.getUint32($at_${parameter.variable} + ${offset}, true)`
  ).join(", ");
}

interface ElementSource {
  /** Expression for the bytes of one element. */
  readonly size: string;
  /** Statement that stores an element at the offset in variable `at`. */
  store(value: string, at: string): string;
}

function elementSource(plan: Plan, parameter: Parameter, useCodec: UseCodec): ElementSource {
  const element = flatElement(plan, parameter, useCodec);
  return parameter.stars > 1
    ? { size: "8", store: (value, at) => nestedStore(plan, parameter, element, value, at) }
    : element;
}

function flatElement(plan: Plan, parameter: Parameter, useCodec: UseCodec): ElementSource {
  if (parameter.kind === "struct") {
    const codec = useCodec(parameter.type);
    return {
      size: `${codec}.size`,
      store: (value, at) => `${codec}.encode(${value}, ${at});${demandSource(plan, parameter, at)}`,
    };
  }
  const scalar = SCALARS[parameter.kind];
  const checked = (value: string) =>
    parameter.kind === "h"
      ? handleSource(plan, parameter, value, parameter.full)
      : scalar.check(value, label(plan, parameter));
  return { size: String(scalar.size), store: (value, at) => scalar.store(at, checked(value)) };
}

/**
 * An array of arrays: the inner array is placed and its address stored. Each
 * has as many elements as the struct of its sibling says.
 */
function nestedStore(plan: Plan, parameter: Parameter, element: ElementSource, value: string, at: string): string {
  const what = label(plan, parameter), sibling = innerCount(plan, parameter);
  const needed = sibling
    ? `$m.getUint32($at_${sibling.parameter.variable} + $i * ${sibling.size} + ${sibling.offset}, true)`
    : "0";
  return `{ const $inner = ${value}, $k = $atLeast($length($inner, ${what}), ${needed}, ${what}); ` +
    `let $p = $arena.alloc($k * ${element.size}); $m.setBigUint64(${at}, $arena.address($p), true); ` +
    `for (let $j = 0; $j < $k; $j++, $p += ${element.size}) { const $w = $inner[$j]; ` +
    `if ($w === undefined) $noHole($w, $j, ${what}); ${element.store("$w", "$p")} } }`;
}

/** Source of one output: room before the call, and the value read after it. */
export interface OutputSource {
  /** Declares the variable with the output's offset; 0 until room is made. */
  readonly declare: string;
  /** Statements that make zeroed room. */
  readonly room: string;
  /** The offset passed to the stub. */
  readonly argument: string;
  /** Expression that reads the output after the call. */
  readonly value: string;
}

/** Returns the source of a parameter that the driver writes. */
export function outputSource(plan: Plan, parameter: Parameter, useCodec: UseCodec): OutputSource {
  const place = `$at_${parameter.variable}`, count = `$n_${parameter.variable}`;
  const item = itemSource(parameter, useCodec);
  const many = parameter.len !== "";
  const init = item.init === undefined
    ? `$arena.zero(${place}, ${many ? `${count} * ` : ""}${item.size});`
    : many
    ? `for (let $i = 0; $i < ${count}; $i++) ${item.init("undefined", `${place} + $i * ${item.size}`)}`
    : item.init(`${parameter.variable}`, place);
  const length = many ? `${count} = ${outputLength(plan, parameter)}; ` : "";
  return {
    declare: `let ${place} = 0${many ? `, ${count} = 0` : ""};`,
    room: `${length}${place} = $arena.alloc(${many ? `${count} * ` : ""}${item.size}); ${init}`,
    argument: place,
    value: many ? listSource(plan, parameter, item) : item.load(place),
  };
}

interface ItemSource {
  readonly size: string;
  readonly init?: (value: string, at: string) => string;
  load(at: string): string;
}

function itemSource(parameter: Parameter, useCodec: UseCodec): ItemSource {
  const { type, kind, stars } = parameter;
  if (kind === "struct" && stars < 2) {
    const codec = useCodec(type);
    const given = takesChain(parameter) ? (value: string) => `$given(${value})` : () => "undefined";
    return {
      size: `${codec}.size`,
      init: (value, at) => `${codec}.encodeOut(${given(value)}, ${at});`,
      load: (at) => `${codec}.decode(${at})`,
    };
  }
  if (DISPATCHABLE.has(type)) return { size: "8", load: (at) => `this.wrap("${type}", $m.getBigUint64(${at}, true))` };
  if (kind === "void" && stars < 2) return { size: "1", load: (at) => `$m.getUint8(${at})` };
  return { size: String(SCALARS[kind].size), load: SCALARS[kind].load };
}

function listSource(plan: Plan, parameter: Parameter, item: ItemSource): string {
  const place = `$at_${parameter.variable}`;
  const room = `$n_${parameter.variable}`;
  const count = isFilled(plan, parameter) ? `$fitting($n, ${room}, "${plan.command.name}")` : room;
  if (parameter.kind === "void") return `$bytes(${place}, ${count})`;
  return `$list(${count}, ${place}, ${item.size}, ($q) => ${item.load("$q")})`;
}

/**
 * Returns how many elements an output array has: a parameter, a member of an
 * input struct, or the result of the count query.
 */
function outputLength(plan: Plan, parameter: Parameter): string {
  if (isFilled(plan, parameter)) return "$n";
  const [first, member] = parameter.len.split("->");
  const source = plan.parameters.find((each) => each.name === first);
  if (!source) return parameter.len;
  if (member) return memberSource(source, member);
  return source.role === "count" ? countName(source) : `Number(${valueSource(plan, source)})`;
}

/** Reads a count back from the encoded struct, where derived counts are right, too. */
function memberSource(source: Parameter, member: string): string {
  const field = layoutOf(source.type).fields.find((each) => each.name === member)!;
  return `$m.getUint32($at_${source.variable} + ${field.offset}, true)`;
}
