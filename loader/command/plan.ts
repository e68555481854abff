import * as lists from "../gen/structs_gen.js";
import { type Kind, kindOf, layoutOf } from "../codec/layout/layout.ts";
import type { Spec } from "../codec/layout/spec.ts";
import { VK_INCOMPLETE } from "../gen/native_gen.ts";
import { type Form, signatureOf } from "./registry/signature.ts";
import type { Command } from "./registry/table.ts";

/** The dispatchable handles, which are objects in JavaScript. */
export const DISPATCHABLE: ReadonlySet<string> = new Set([
  "VkInstance",
  "VkPhysicalDevice",
  "VkDevice",
  "VkQueue",
  "VkCommandBuffer",
]);

/** Returns the stub signature of a command in one of its forms. */
export function commandSignature(command: Command, form: Form): string {
  return signatureOf(command.result, command.params, form, lists);
}

/** The meaning of a parameter for a caller of the method. */
type Role =
  /** The object of the method call. */
  | "self"
  /** The length of an input array, which is derived. */
  | "count"
  /** An in-out count of output arrays. The pair of counting and filling is hidden. */
  | "fill"
  /** A scalar, enum, flags or handle by value. */
  | "value"
  /** A struct from the caller. */
  | "struct"
  /** An array of structs, handles or scalars from the caller. */
  | "array"
  /** A string from the caller. */
  | "text"
  /** Bytes or an address from the caller. */
  | "data"
  /** An output of the driver, which is returned. */
  | "output";

/** One parameter with its role. */
export interface Parameter extends Spec {
  /** The meaning for the caller. */
  readonly role: Role;
  /** The kind of a single value, which decides its storage. */
  readonly kind: Kind;
  /** The name as a JavaScript identifier. */
  readonly variable: string;
}

/** A command as JavaScript sees it. */
export interface Plan {
  /** The command's name. */
  readonly command: Command;
  /** The stub signature of its arena form. */
  readonly signature: string;
  /** The parameters in C order. */
  readonly parameters: readonly Parameter[];
  /** The in-out count of a command that counts and fills. */
  readonly fill: Parameter | undefined;
  /** The values returned beside the result. */
  readonly outputs: readonly Parameter[];
  /** Whether the result itself is returned: there are several success codes, or it is not a VkResult. */
  readonly returnsResult: boolean;
}

/** Reserved names of JavaScript. */
const RESERVED = new Set(["function"]);

const plans = new Map<string, Plan>();

/** Returns the meaning of each parameter of a command for a caller. Each instance and each device asks for some again. */
export function planOf(command: Command): Plan {
  let plan = plans.get(command.name);
  if (!plan) plans.set(command.name, plan = makePlan(command));
  return plan;
}

function makePlan(command: Command): Plan {
  const parameters = command.params.map((spec, index) => parameter(command, spec, index));
  const fill = parameters.find((each) => each.role === "fill");
  const codes = command.codes.filter((code) => !(fill && code === VK_INCOMPLETE));
  return {
    command,
    signature: commandSignature(command, "arena"),
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

/** Returns the parameter with an array's length: the first word of its count expression. */
export function countOf(spec: Spec): string {
  return spec.len.match(/^\w+/)?.[0] ?? "";
}

/** Whether a caller may give something for an output: structs take a pNext chain to fill. */
export function takesChain(parameter: Parameter): boolean {
  return parameter.role === "output" && parameter.kind === "struct" && parameter.len === "" &&
    layoutOf(parameter.type).sType >= 0;
}

/** Returns the parameters that a caller passes, in C order. An output struct may be given a chain to fill. */
export function callerParameters(plan: Plan): Parameter[] {
  const derived: Role[] = ["self", "count", "fill", "output"];
  return plan.parameters.filter((each) => !derived.includes(each.role) || takesChain(each));
}

/** Whether an output's length is the count of a command that counts and fills. */
export function isFilled(plan: Plan, output: Parameter): boolean {
  return plan.fill !== undefined && countOf(output) === plan.fill.name;
}

/**
 * Whether a caller may not leave a pointer out: the registry requires it, and
 * requires elements behind it. An array whose count may be 0 may be left out.
 */
export function isAsked({ parameters }: Pick<Plan, "parameters">, parameter: Parameter): boolean {
  const count = parameters.find(({ name, role }) => role === "count" && name === countOf(parameter));
  return parameter.required && !count?.optional;
}

/** Returns the input arrays of a count parameter. */
export function countedBy(plan: Plan, count: Parameter): Parameter[] {
  return plan.parameters.filter((each) => countOf(each) === count.name && each.role !== "output");
}

/**
 * Returns the key of an output in a result object. C's `p` prefixes are
 * dropped: `pImageIndex` becomes `imageIndex`.
 */
export function resultKey(name: string): string {
  return name.replace(/^p+(?=[A-Z])/, "").replace(/^[A-Z]/, (letter) => letter.toLowerCase());
}

/** A name in a count expression: a parameter, or a member of the struct at one. */
interface CountName {
  /** The name, as an identifier: `pBuildInfo->geometryCount` is `pBuildInfo_geometryCount`. */
  readonly name: string;
  /** The parameter. */
  readonly parameter: Parameter;
  /** Offset of the member in the struct, if it is one. */
  readonly offset?: number;
}

/** Returns the names in the count expression of an input array: `(samples+31)/32`, `pBuildInfo->geometryCount`. */
export function namesIn(plan: Plan, len: string): CountName[] {
  return (len.match(/[a-zA-Z_]\w*(->\w+)?/g) ?? []).map((text) => {
    const [first, member] = text.split("->"), parameter = plan.parameters.find((each) => each.name === first)!;
    const field = member && layoutOf(parameter.type).fields.find((each) => each.name === member);
    return { name: text.replace("->", "_"), parameter, offset: field ? field.offset : undefined };
  });
}

/**
 * Returns the parameter with the structs whose `geometryCount` counts the inner
 * arrays of an array of arrays; `undefined` if there is none.
 */
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

/**
 * Returns the names of arrays that share a count, for {@linkcode sameLength}. A
 * `+` marks those that must not be absent.
 */
export function namesOf(arrays: readonly Parameter[]): string {
  return arrays.map((each) => `${each.name}${each.required ? "+" : ""}`).join(" ");
}
