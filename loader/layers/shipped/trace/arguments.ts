import { readCString } from "../../../../ffi/cstring.ts";
import { inFrame } from "../../../../ffi/arena.ts";
import { peek32, peek64 } from "../../../../ffi/machine.ts";
import { layoutOf, sizeOfKind } from "../../../codec/layout/layout.ts";
import { evaluateLength } from "../../../codec/layout/form.ts";
import { scalarGet } from "../../../codec/values/scalar.ts";
import { type Parameter, type Plan, planOf } from "../../../command/plan.ts";
import { type Command, findCommand } from "../../../command/registry/table.ts";
import { bytesAt } from "../../../../ffi/arena.ts";
import { structsAt } from "../../../codec/codec.ts";
import type { TraceFields, TraceValue } from "./line.ts";
import { type Style, TRACE, traceScalar, traceStruct } from "./value.ts";

/** Raw arguments: numbers and bigints. */
export type Arguments = readonly (number | bigint)[];
/** Larger payloads, in bytes, are shown by their address. */
const LARGEST = 1 << 20;

/** Reads the arguments of one command. */
export interface ArgumentReader {
  /** Reads what the driver is going to read. */
  inputs(args: Arguments): TraceFields;
  /** Reads what the driver has written. */
  outputs(args: Arguments): TraceFields;
  /** The result of the command; `undefined` for none. */
  result(value: unknown): number | string | undefined;
}

/** Returns the reader of a command's arguments, for one kind of stream. */
export function argumentReader(name: string, style: Style = TRACE): ArgumentReader {
  const command = findCommand(name)!, plan = planOf(command);
  const reader = (wanted: (each: Parameter) => boolean) => {
    const chosen = plan.parameters.flatMap((each, index) => wanted(each) ? [{ each, index }] : []);
    return (args: Arguments) => {
      const fields: TraceFields = {};
      for (const { each, index } of chosen) fields[each.name] = read(plan, each, args[index], args, style);
      return fields;
    };
  };
  const room = roomReader(plan), given = reader(({ role }) => role !== "output" && role !== "fill");
  return {
    inputs: (args) => ({ ...given(args), ...room(args) }),
    outputs: reader(({ role }) => role === "output" || role === "fill"),
    result: resultReader(command),
  };
}

/** An in-out count is an input if there is a list to fill: it is the room of the list. */
function roomReader(plan: Plan): (args: Arguments) => TraceFields {
  const { fill, parameters } = plan;
  const list = fill ? parameters.findIndex((each) => each.len === fill.name) : -1;
  if (!fill || list < 0) return () => ({});
  const index = parameters.indexOf(fill);
  return (args) => args[list] === 0n ? {} : { [fill.name]: read(plan, fill, args[index], args, TRACE) };
}

function resultReader({ result }: Command): (value: unknown) => number | string | undefined {
  const isAddress = result.startsWith("PFN_") || result === "VkDeviceAddress";
  return (value) =>
    result === "void" ? undefined : traceScalar(isAddress ? "p" : "u64", value) as number | string | undefined;
}

/** Reads one argument: a value, or the data that its pointer leads to. */
function read(plan: Plan, each: Parameter, value: number | bigint, args: Arguments, style: Style): TraceValue {
  const pointer = each.stars > 0 || each.dims.length > 0;
  if (!pointer) return each.kind === "bool" ? value !== 0 : traceScalar(each.kind, value, style, each.type);
  const address = value as bigint;
  if (address === 0n) return null;
  if (each.stars > 1) return style.address(each.role === "output" ? peek64(address) : address);
  if (each.kind === "str") return readCString(address);
  const single = each.len === "" && each.dims.length === 0;
  if (each.kind === "void" && single || each.type === "VkAllocationCallbacks") return style.address(address);
  const count = single ? 1 : each.dims[0] ?? countOf(plan, each.len, args);
  const items = readItems(each, address, count, style);
  return single && Array.isArray(items) ? items[0] : items;
}

function readItems({ kind, type }: Parameter, address: bigint, count: number, style: Style): TraceValue {
  if (kind === "struct") {
    return structsAt(type, address, count).map((object) => traceStruct(layoutOf(type), object, style));
  }
  const size = sizeOfKind(kind) || 1;
  if (size * count > LARGEST) return style.address(address, size * count);
  if (kind === "void" || kind === "u8") return style.payload(bytesAt(address, count));
  return inFrame((memory) => {
    const get = scalarGet(kind);
    const at = count === 0 ? 0 : memory.copyIn(address, size * count);
    return Array.from({ length: count }, (_, index) => traceScalar(kind, get(at + size * index), style, type));
  });
}

/** Evaluates a count expression over the arguments. `a->b` is a member of the struct that an argument points to. */
function countOf(plan: Plan, text: string, args: Arguments): number {
  const [name, member] = text.split("->");
  if (member === undefined) return evaluateLength(text, (each) => valueOf(plan, each, args));
  const index = plan.parameters.findIndex((each) => each.name === name);
  const { offset } = layoutOf(plan.parameters[index].type).fields.find((field) => field.name === member)!;
  return peek32((args[index] as bigint) + BigInt(offset));
}

function valueOf(plan: Plan, name: string, args: Arguments): number {
  const index = plan.parameters.findIndex((each) => each.name === name), { stars, kind } = plan.parameters[index];
  if (stars === 0) return Number(args[index]);
  const address = args[index] as bigint;
  return kind === "usize" ? Number(peek64(address)) : peek32(address);
}
