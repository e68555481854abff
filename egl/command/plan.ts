import { GL_AMBIENT_AND_DIFFUSE, GL_COLOR } from "../gen/gl_constants_gen.js";
import { sizeOfName } from "./sizes.ts";
import type { Command, Parameter } from "./spec.ts";

/**
 * The role of a parameter for callers of a command as a typed method.
 *
 * | role | in the method |
 * |---|---|
 * | `value` | a parameter: number, bigint, boolean |
 * | `array` | a parameter: numbers, a typed array, `null` |
 * | `data` | a parameter: a typed array or `ArrayBuffer`, an offset or address, `null` |
 * | `text`, `texts` | a parameter: a string, strings |
 * | `attribs` | a parameter: names and values |
 * | `count` | left out: follows from the arrays |
 * | `lengths` | left out: strings know their lengths |
 * | `room` | left out: how much room there is for an output |
 * | `used` | left out: how much of the room was used |
 * | `out` | returned: one value, or as many as `len` says |
 * | `fill` | returned: an array; the command is asked for its length first |
 * | `outText` | returned: a string |
 * | `outData` | a typed array to write to, an offset or address; what was written is returned |
 */
export type Role =
  | "value"
  | "array"
  | "data"
  | "text"
  | "texts"
  | "attribs"
  | "count"
  | "lengths"
  | "room"
  | "used"
  | "out"
  | "fill"
  | "outText"
  | "outData";

/** A parameter and its part in the typed method. */
export interface Step extends Parameter {
  /** The parameter's role. */
  readonly role: Role;
  /** The parameter its length depends on, and the elements per unit of it. `undefined` when the length is fixed or unknown. */
  readonly by?: { readonly index: number; readonly factor: number };
}

/** A length by another parameter: the parameter's name and the elements for each unit of it. */
export function dependence(len: string): { name: string; factor: number } | undefined {
  const found = /^([A-Za-z_]\w*)(?:([*/])(\d+))?$/.exec(len);
  if (!found || len === "attribs") return undefined;
  const factor = Number(found[3] ?? 1);
  return { name: found[1], factor: found[2] === "/" ? 1 / factor : factor };
}

/** Returns the role of each parameter of a command for callers of the typed method. */
export function planOf(command: Command): Step[] {
  const { params } = command;
  const counted = new Set(params.filter(isCountedArray).map(({ len }) => dependence(len)!.name));
  const roomy = roomsOf(params, counted), used = usedOf(params);
  return params.map((param) => {
    const role = roleOf(param, params, { counted, roomy, used }), by = dependence(param.len);
    const index = by ? params.findIndex(({ name }) => name === by.name) : -1;
    return index < 0 ? { ...param, role } : { ...param, role, by: { index, factor: by!.factor } };
  });
}

interface Lists {
  readonly counted: ReadonlySet<string>;
  readonly roomy: ReadonlySet<string>;
  readonly used: ReadonlySet<string>;
}

function roleOf(param: Parameter, params: readonly Parameter[], { counted, roomy, used }: Lists): Role {
  const { name, code, stars, isConst, len } = param;
  if (stars === 0) return counted.has(name) ? "count" : roomy.has(name) ? "room" : "value";
  if (used.has(name)) return "used";
  if (isConst) {
    if (len === "attribs") return "attribs";
    if (code === "c") return stars > 1 ? "texts" : "text";
    if (isLengths(param, params)) return "lengths";
    return code === "v" && stars === 1 ? "data" : "array";
  }
  if (len.includes(">")) return "fill";
  if (stars > 1) return "out";
  return code === "c" ? "outText" : code === "v" ? "outData" : "out";
}

/** Arrays whose length callers need not say again. Bytes behind `const void *` are not among them: they may be null, or a part. */
function isCountedArray({ code, stars, isConst, len }: Parameter): boolean {
  return stars > 0 && isConst && code !== "v" && dependence(len) !== undefined;
}

/** The lengths of strings that a command takes as an array. */
function isLengths({ code, len }: Parameter, params: readonly Parameter[]): boolean {
  return code === "i" && params.some((each) => each.code === "c" && each.stars === 2 && each.len === len);
}

/** Capacities that callers need not choose: of strings, and of outputs whose length is queried first. */
function roomsOf(params: readonly Parameter[], counted: ReadonlySet<string>): Set<string> {
  const texts = params.filter(({ code, stars, isConst }) => code === "c" && stars === 1 && !isConst);
  const fills = params.filter(({ len }) => len.includes(">"));
  const names = [...texts.map(({ len }) => len), ...fills.map(({ len }) => len.split(">")[0])];
  return new Set(names.filter((name) => name !== "" && !counted.has(name)));
}

/** The parameters in which a command says how much of the room it used. */
function usedOf(params: readonly Parameter[]): Set<string> {
  const isSized = params.some(({ code, stars, isConst, len }) =>
    stars === 1 && !isConst && (code === "c" || dependence(len) !== undefined)
  );
  const fills = params.flatMap(({ len }) => len.includes(">") ? [len.split(">")[1]] : []);
  const lengths = params.filter(({ name, code, stars, isConst, len }) =>
    isSized && stars === 1 && !isConst && code === "i" && len !== "@pname" &&
    (name === "length" || (name === "count" && len === "1") || name === "bytesWritten")
  );
  return new Set([...fills, ...lengths.map(({ name }) => name)]);
}

/** Values for each unit of the parameters that lengths follow from without being them. */
const FACTORS: Readonly<Record<string, number>> = { count: 4, numBufferBarriers: 1, numTextureBarriers: 1 };

/** Whether an array tells its own length. */
export function isCounted(steps: readonly Step[], { by }: Step): boolean {
  return by !== undefined && steps[by.index].role === "count";
}

/** Returns the fewest elements that a command reads of an array, by the other parameters; 0 where nothing tells. */
export function leastOf(steps: readonly Step[], step: Step, values: readonly (number | bigint)[]): number {
  const { len, by } = step;
  if (isCounted(steps, step)) return 0;
  if (/^\d+$/.test(len)) return Number(len);
  if (by) return Number(values[by.index]) * by.factor;
  const name = len.slice(1), value = Number(values[steps.findIndex((each) => each.name === name)]);
  if (name === "pname") return value === GL_AMBIENT_AND_DIFFUSE ? 4 : sizeOfName(value) || 1;
  if (name === "buffer") return value === GL_COLOR ? 4 : 1;
  return name in FACTORS ? value * FACTORS[name] : 0;
}
