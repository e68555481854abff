import { layoutOf } from "../../codec/layout/layout.ts";
import { DISPATCHABLE } from "../registry/kind.ts";
import { SCALARS } from "./scalar_source.ts";
import { isFilled, type Parameter, type Plan, takesChain } from "../plan.ts";
import { countName, type UseCodec, valueSource } from "./input_source.ts";

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
  const length = many ? `${count} = ${lengthSource(plan, parameter)}; ` : "";
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
function lengthSource(plan: Plan, parameter: Parameter): string {
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
