import { layoutOf } from "../codec/layout/layout.ts";
import type { Command } from "./registry/table.ts";
import type { Spec } from "../codec/layout/spec.ts";
import { type Kind, kindOf } from "../codec/layout/tables.ts";
import { DISPATCHABLE } from "./registry/kind.ts";

/** What a parameter means to someone who calls the command as a method. */
export type Role =
  /** The object the method is called on. */
  | "self"
  /** The length of an input array: derived, not asked for. */
  | "count"
  /** An in-out count of output arrays: the count-then-fill pair is hidden. */
  | "fill"
  /** A scalar, enum, flags or handle by value. */
  | "value"
  /** A struct the caller gives. */
  | "struct"
  /** An array of structs, handles or scalars the caller gives. */
  | "array"
  /** A string the caller gives. */
  | "text"
  /** Bytes or an address the caller gives. */
  | "data"
  /** Something the driver writes; returned. */
  | "output";

/** One parameter with its role. */
export interface Parameter extends Spec {
  /** What it means to the caller. */
  readonly role: Role;
  /** How a single value of it is stored. */
  readonly kind: Kind;
  /** Its name as a JavaScript identifier. */
  readonly variable: string;
}

/** A command seen from JavaScript. */
export interface Plan {
  /** The command's name. */
  readonly command: Command;
  /** Its parameters in C order. */
  readonly parameters: readonly Parameter[];
  /** The in-out count of a count-then-fill command. */
  readonly fill: Parameter | undefined;
  /** What is returned beside the result. */
  readonly outputs: readonly Parameter[];
  /** Whether the result itself is returned: there is more than one success code, or it is no VkResult. */
  readonly returnsResult: boolean;
}

const VK_INCOMPLETE = 5;
/** Names JavaScript reserves. */
const RESERVED = new Set(["function"]);

/** Works out what each parameter of a command means to a caller. */
export function planOf(command: Command): Plan {
  const parameters = command.params.map((spec, index) => parameter(command, spec, index));
  const fill = parameters.find((each) => each.role === "fill");
  const codes = command.codes.filter((code) => !(fill && code === VK_INCOMPLETE));
  return {
    command,
    parameters,
    fill,
    outputs: parameters.filter((each) => each.role === "output"),
    returnsResult: codes.length > 0 || !["void", "VkResult"].includes(command.result),
  };
}

function parameter(command: Command, spec: Spec, index: number): Parameter {
  const variable = RESERVED.has(spec.name) ? `${spec.name}_` : spec.name;
  return { ...spec, role: roleOf(command, spec, index), kind: kindOf(spec.type), variable };
}

function roleOf(command: Command, spec: Spec, index: number): Role {
  const pointer = spec.stars > 0 || spec.dims.length > 0;
  if (index === 0 && !pointer && DISPATCHABLE.has(spec.type)) return "self";
  const counted = command.params.filter((each) => countOf(each) === spec.name);
  if (!pointer) return counted.some((each) => !each.written) ? "count" : "value";
  if (spec.written) return counted.length > 0 ? "fill" : "output";
  return inputRole(spec);
}

function inputRole(spec: Spec): Role {
  const kind = kindOf(spec.type);
  if (kind === "str") return "text";
  if (kind === "void" || kind === "p" || kind === "u8") return "data";
  if (spec.len !== "" || spec.dims.length > 0) return "array";
  return kind === "struct" ? "struct" : "array";
}

/** The parameter an array's length is in: the first word of its count expression. */
export function countOf(spec: Spec): string {
  return spec.len.match(/^\w+/)?.[0] ?? "";
}

/** Whether a caller may say something about an output: structs take a pNext chain to be filled. */
export function takesChain(parameter: Parameter): boolean {
  return parameter.role === "output" && parameter.kind === "struct" && parameter.len === "" &&
    layoutOf(parameter.type).sType >= 0;
}

/** What a caller passes, in C order; an output struct may be given a chain to fill. */
export function callerParameters(plan: Plan): Parameter[] {
  const derived: Role[] = ["self", "count", "fill", "output"];
  return plan.parameters.filter((each) => !derived.includes(each.role) || takesChain(each));
}

/** Whether an output's length is what a count-then-fill command says. */
export function isFilled(plan: Plan, output: Parameter): boolean {
  return plan.fill !== undefined && countOf(output) === plan.fill.name;
}

/** The input arrays whose length a count parameter states. */
export function countedBy(plan: Plan, count: Parameter): Parameter[] {
  return plan.parameters.filter((each) => countOf(each) === count.name && each.role !== "output");
}

/** The key of an output in a result object: C's `p` prefixes are dropped, `pImageIndex` becomes `imageIndex`. */
export function resultKey(name: string): string {
  return name.replace(/^p+(?=[A-Z])/, "").replace(/^[A-Z]/, (letter) => letter.toLowerCase());
}

/** A name of a count expression: a parameter, or a member of the struct at one. */
export interface CountName {
  /** The name, as an identifier: `pBuildInfo->geometryCount` is `pBuildInfo_geometryCount`. */
  readonly name: string;
  /** The parameter. */
  readonly parameter: Parameter;
  /** Where in the struct the member is, if it is one. */
  readonly offset?: number;
}

/** The names of the count expression of an input array: `(samples+31)/32`, `pBuildInfo->geometryCount`. */
export function namesIn(plan: Plan, len: string): CountName[] {
  return (len.match(/[a-zA-Z_]\w*(->\w+)?/g) ?? []).map((text) => {
    const [first, member] = text.split("->"), parameter = plan.parameters.find((each) => each.name === first)!;
    const field = member && layoutOf(parameter.type).fields.find((each) => each.name === member);
    return { name: text.replace("->", "_"), parameter, offset: field ? field.offset : undefined };
  });
}

/** Where the structs are whose `geometryCount` counts the inner arrays of an array of arrays; `undefined` for nowhere. */
export function innerCount(
  plan: Plan,
  outer: Parameter,
): { parameter: Parameter; size: number; offset: number } | undefined {
  for (const parameter of plan.parameters) {
    if (parameter.role !== "array" || parameter.kind !== "struct" || parameter.stars !== 1) continue;
    const { size, fields } = layoutOf(parameter.type), field = fields.find(({ name }) => name === "geometryCount");
    if (field && parameter.len === outer.len) return { parameter, size, offset: field.offset };
  }
}

/** The names of arrays that share a count, for {@linkcode sameLength}: a `+` marks those that may not be absent. */
export function namesOf(arrays: readonly Parameter[]): string {
  return arrays.map((each) => `${each.name}${each.required ? "+" : ""}`).join(" ");
}
