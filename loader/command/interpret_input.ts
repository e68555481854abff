import { arena } from "../../ffi/arena.ts";
import { codec, type StructObject } from "../codec/codec.ts";
import { type Frame, labelOf } from "./frame.ts";
import { namesOf } from "./input_source.ts";
import { countedBy, type Parameter } from "./plan.ts";
import * as runtime from "./runtime.ts";
import { SCALAR_ACCESS } from "./scalar_access.ts";

/** Places the structs and arrays of a call in the arena. */
export function placeInputs(frame: Frame): void {
  for (const each of frame.plan.parameters) {
    if (each.role === "struct") frame.places.set(each, placeStruct(frame, each));
    if (each.role === "array") frame.places.set(each, placeArray(frame, each));
  }
}

/** What native code gets for a parameter. */
export function argument(frame: Frame, parameter: Parameter): number | bigint {
  const value = frame.given.get(parameter.name), label = labelOf(frame.plan, parameter);
  switch (parameter.role) {
    case "self":
      return frame.self.handle;
    case "fill":
      return frame.count;
    case "count":
      return wide(parameter) ? BigInt(countFor(frame, parameter)) : countFor(frame, parameter);
    case "text":
      return runtime.placeText(value, label);
    case "data":
      return runtime.placeData(value, label);
    case "value":
      if (parameter.kind === "h" && parameter.required) return runtime.toObject(value, label);
      return SCALAR_ACCESS[parameter.kind].check(value, label);
    default:
      return frame.places.get(parameter)!;
  }
}

/** The length of the arrays a count covers; they must agree. */
export function countFor(frame: Frame, count: Parameter): number {
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
  return at;
}

function placeArray(frame: Frame, parameter: Parameter): number {
  const value = frame.given.get(parameter.name), label = labelOf(frame.plan, parameter);
  const [fixed] = parameter.dims;
  if (value === undefined || value === null) return fixed === undefined ? 0 : runtime.missing(label);
  if (fixed !== undefined) runtime.exactly(value, fixed, label);
  const items = value as ArrayLike<unknown>;
  if (parameter.stars < 2) return placeItems(parameter, items, label);
  const memory = arena(), at = memory.alloc(8 * items.length);
  for (let i = 0; i < items.length; i++) {
    const inner = memory.address(placeItems(parameter, items[i] as ArrayLike<unknown>, label));
    memory.view.setBigUint64(at + 8 * i, inner, true);
  }
  return at;
}

function placeItems(parameter: Parameter, items: ArrayLike<unknown>, label: string): number {
  const { size, store } = itemAccess(parameter, label), at = arena().alloc(items.length * size);
  for (let i = 0; i < items.length; i++) store(items[i], at + i * size);
  return at;
}

function itemAccess(parameter: Parameter, label: string): { size: number; store(value: unknown, at: number): void } {
  if (parameter.kind === "struct") {
    const { size, encode } = codec(parameter.type);
    return { size, store: (value, at) => encode(value as StructObject, at) };
  }
  const scalar = SCALAR_ACCESS[parameter.kind];
  return { size: scalar.size, store: (value, at) => scalar.store(at, scalar.check(value, label)) };
}
