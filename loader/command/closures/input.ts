import { arena } from "../../../ffi/arena.ts";
import { codec, type StructObject } from "../../codec/codec.ts";
import { evaluateLength } from "../../codec/layout/form.ts";
import { demandOf } from "../demands.ts";
import { IS_CLOSED } from "../../../ffi/scalar.ts";
import { refuseObject } from "../runtime.ts";
import { type Frame, labelOf } from "./frame.ts";
import { countedBy, innerCount, isAsked, namesIn, namesOf, type Parameter } from "../plan.ts";
import * as runtime from "../runtime.ts";
import { SCALAR_ACCESS } from "./scalar.ts";

/** Places the structs and arrays of a call in the arena. */
export function placeInputs(frame: Frame): void {
  for (const each of frame.plan.parameters) {
    if (each.role === "count") countFor(frame, each);
    if (each.role === "struct") frame.places.set(each, placeStruct(frame, each));
    if (each.role === "array") frame.places.set(each, placeArray(frame, each));
  }
}

/** Returns the native argument of a parameter. */
export function argument(frame: Frame, parameter: Parameter): number | bigint {
  const value = frame.given.get(parameter.name), label = labelOf(frame.plan, parameter);
  switch (parameter.role) {
    case "self":
      return frame.self[IS_CLOSED] ? refuseObject(frame.plan.command.name, frame.self) : frame.self.handle;
    case "fill":
      return frame.count;
    case "count":
      return wide(parameter) ? BigInt(countFor(frame, parameter)) : countFor(frame, parameter);
    case "text":
      return runtime.placeText(isAsked(frame.plan, parameter) ? runtime.asked(value, label) : value, label);
    case "data":
      return runtime.placeData(isAsked(frame.plan, parameter) ? runtime.asked(value, label) : value, label);
    case "value":
      return valueFor(frame, parameter);
    default:
      return frame.places.get(parameter)!;
  }
}

/** Returns a parameter by value, checked and converted. */
export function valueFor(frame: Frame, parameter: Parameter): number | bigint {
  const { kind, name, optional, required } = parameter;
  const value = frame.given.get(name), label = labelOf(frame.plan, parameter);
  if (kind === "h") return (required ? runtime.toObject : runtime.toHandle)(value, parameter.type, label);
  return SCALAR_ACCESS[kind].check(optional ? value : runtime.asked(value, label), label);
}

/** Returns the length of the arrays of a count, read once. They must agree. */
export function countFor(frame: Frame, count: Parameter): number {
  const known = frame.lengths.get(count) ?? counted(frame, count);
  frame.lengths.set(count, known);
  return known;
}

function counted(frame: Frame, count: Parameter): number {
  const arrays = countedBy(frame.plan, count), label = labelOf(frame.plan, count);
  const values = arrays.map((each) => frame.given.get(each.name));
  if (arrays.length > 1) return runtime.sameLength(values, namesOf(arrays), label);
  return arrays[0].role === "data" ? runtime.byteLengthOf(values[0], label) : runtime.lengthOf(values[0], label);
}

function wide(count: Parameter): boolean {
  return count.kind === "usize" || count.kind === "u64";
}

function placeStruct(frame: Frame, parameter: Parameter): number {
  const value = frame.given.get(parameter.name);
  if (value === undefined || value === null) {
    return parameter.optional ? 0 : runtime.missing(labelOf(frame.plan, parameter));
  }
  const { size, encode } = codec(parameter.type), at = arena().alloc(size);
  encode(value as StructObject, at);
  demandOf(frame.plan.command.name, parameter.name)?.(at, labelOf(frame.plan, parameter));
  return at;
}

function placeArray(frame: Frame, parameter: Parameter): number {
  const value = frame.given.get(parameter.name), label = labelOf(frame.plan, parameter);
  if (value === undefined || value === null) return isAsked(frame.plan, parameter) ? runtime.missing(label) : 0;
  const items = value as ArrayLike<unknown>, length = lengthFor(frame, parameter, items);
  if (parameter.stars < 2) {
    const at = placeItems(parameter, items, length, label), demand = demandOf(frame.plan.command.name, parameter.name);
    for (let i = 0; demand && i < length; i++) demand(at + i * codec(parameter.type).size, label);
    return at;
  }
  const memory = arena(), at = memory.alloc(8 * length), sibling = innerCount(frame.plan, parameter);
  for (let i = 0; i < length; i++) {
    runtime.noHole(items[i], i, label);
    const inner = items[i] as ArrayLike<unknown>, first = sibling && frame.places.get(sibling.parameter)!;
    const needed = sibling ? memory.view.getUint32(first! + i * sibling.size + sibling.offset, true) : 0;
    const count = runtime.atLeast(runtime.lengthOf(inner, label), needed, label);
    memory.view.setBigUint64(at + 8 * i, memory.address(placeItems(parameter, inner, count, label)), true);
  }
  return at;
}

/** Returns how many elements of an array are placed: its count, or all elements if there are enough. */
function lengthFor(frame: Frame, parameter: Parameter, items: ArrayLike<unknown>): number {
  const { dims: [fixed], len } = parameter, label = labelOf(frame.plan, parameter);
  if (fixed !== undefined) return runtime.exactly(items, fixed, label);
  const count = frame.plan.parameters.find((each) => each.name === len && each.role === "count");
  if (count) return countFor(frame, count);
  const needed = len === "" ? 1 : neededFor(frame, len);
  return runtime.atLeast(runtime.lengthOf(items, label), needed, label);
}

/** Evaluates a count expression over parameters and members of placed structs. */
function neededFor(frame: Frame, len: string): number {
  const values = new Map(
    namesIn(frame.plan, len).map(({ name, parameter, offset }) => {
      const place = frame.places.get(parameter);
      if (offset === undefined) return [name, frame.given.get(parameter.name)];
      return [name, place ? arena().view.getUint32(place + offset, true) : 0];
    }),
  );
  return evaluateLength(len.replaceAll("->", "_"), (name) => Number(values.get(name) ?? 0));
}

function placeItems(parameter: Parameter, items: ArrayLike<unknown>, length: number, label: string): number {
  const { size, store } = itemAccess(parameter, label), at = arena().alloc(length * size);
  for (let i = 0; i < length; i++) {
    runtime.noHole(items[i], i, label);
    store(items[i], at + i * size);
  }
  return at;
}

function itemAccess(parameter: Parameter, label: string): { size: number; store(value: unknown, at: number): void } {
  if (parameter.kind === "struct") {
    const { size, encode } = codec(parameter.type);
    return { size, store: (value, at) => encode(value as StructObject, at) };
  }
  const { kind, type, full } = parameter, scalar = SCALAR_ACCESS[kind];
  const toHandle = full ? runtime.toObject : runtime.toHandle;
  const check = kind === "h"
    ? (value: unknown) => toHandle(value, type, label)
    : (value: unknown) => scalar.check(value, label);
  return { size: scalar.size, store: (value, at) => scalar.store(at, check(value)) };
}
