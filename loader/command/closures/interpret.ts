/**
 * Commands without generated code: the same plans that are compiled elsewhere,
 * interpreted at each call. Slower, and the only way where code may not be
 * generated from strings.
 *
 * @module
 */
import { arena, inFrame } from "../../../ffi/arena.ts";
import { rethrowFault } from "../../../ffi/error.ts";
import type { Caller, Frame } from "./frame.ts";
import { argument, countFor, placeInputs, valueFor } from "./input.ts";
import { kindOf, layoutOf } from "../../codec/layout/layout.ts";
import { callerParameters, DISPATCHABLE, isFilled, type Parameter, type Plan, resultKey, takesChain } from "../plan.ts";
import type { Command } from "../registry/table.ts";
import { counted, countsAgain } from "../runtime.ts";
import type { NativeCall, RawTarget, Target } from "../target.ts";
import { VK_INCOMPLETE } from "../../gen/native_gen.ts";
import { codec } from "../../codec/codec.ts";
import { SCALAR_ACCESS } from "./scalar.ts";
import * as runtime from "../runtime.ts";

/** Makes room for an output: zeroed, with the structure types filled in. */
function makeRoom(frame: Frame, output: Parameter): void {
  const size = itemSize(output), count = output.len === "" ? 1 : lengthFor(frame, output);
  const at = arena().alloc(count * size);
  frame.places.set(output, at);
  frame.lengths.set(output, count);
  if (!isStruct(output)) return arena().zero(at, count * size);
  const given = takesChain(output) ? runtime.givenOutput(frame.given.get(output.name)) : undefined;
  for (let i = 0; i < count; i++) codec(output.type).encodeOut(given, at + i * size);
}

/** Reads an output after the call. */
function readOutput(frame: Frame, output: Parameter): unknown {
  const at = frame.places.get(output)!;
  if (output.len === "") return readItem(frame, output, at);
  const room = frame.lengths.get(output) ?? 0;
  const count = isFilled(frame.plan, output) ? runtime.fitting(frame.filled, room, frame.plan.command.name) : room;
  if (output.kind === "void") return runtime.copyBytes(at, count);
  return runtime.list(count, at, itemSize(output), (place) => readItem(frame, output, place));
}

function isStruct({ kind, stars }: Parameter): boolean {
  return kind === "struct" && stars < 2;
}

function itemSize(output: Parameter): number {
  if (isStruct(output)) return codec(output.type).size;
  return output.kind === "void" && output.stars < 2 ? 1 : SCALAR_ACCESS[output.kind].size;
}

function readItem({ self }: Frame, output: Parameter, at: number): unknown {
  if (isStruct(output)) return codec(output.type).decode(at);
  if (DISPATCHABLE.has(output.type)) return self.wrap(output.type, arena().view.getBigUint64(at, true));
  return output.kind === "void" && output.stars < 2 ? arena().bytes[at] : SCALAR_ACCESS[output.kind].load(at);
}

/**
 * Returns how many elements an output array has: a parameter, a member of an
 * input struct, or the result of the count query.
 */
function lengthFor(frame: Frame, output: Parameter): number {
  if (isFilled(frame.plan, output)) return frame.filled;
  const [first, member] = output.len.split("->");
  const source = frame.plan.parameters.find((each) => each.name === first);
  if (!source) return Number(output.len);
  if (member) {
    const field = layoutOf(source.type).fields.find((each) => each.name === member)!;
    return arena().view.getUint32(frame.places.get(source)! + field.offset, true);
  }
  if (source.role === "count") return countFor(frame, source);
  return Number(valueFor(frame, source));
}

/** The method of a command. */
export function interpretedMethod(plan: Plan, target: Target): NativeCall {
  const formals = callerParameters(plan);
  return function (this: Caller, ...args: unknown[]): unknown {
    const given = new Map(formals.map(({ name }, index) => [name, args[index]]));
    const frame = { plan, self: this, given, places: new Map(), lengths: new Map(), count: 0, filled: 0 };
    return inFrame(() => {
      placeInputs(frame);
      return plan.fill ? fill(frame, target) : callPlainly(frame, target);
    });
  };
}

/** The raw form of a command. */
export function interpretedRaw(command: Command, { call, offset }: RawTarget): NativeCall {
  const truncate = command.params.map(({ stars, dims, type }) => {
    const kind = stars > 0 || dims.length > 0 ? "p" : kindOf(type);
    if (kind === "u32" || kind === "bool") return (value: number) => value >>> 0;
    return kind === "i32" ? (value: number) => value | 0 : (value: unknown) => value;
  });
  return (...args) => {
    const result = call(...truncate.map((convert, index) => convert(args[index])), offset);
    rethrowFault();
    return result;
  };
}

/** Converts arena offsets into the addresses that `raw` takes, where the signature of the arena form says so. */
export function interpretedAddressing(command: Command, signature: string, raw: NativeCall): NativeCall {
  const letters = signature.slice(2);
  return (...args) =>
    raw(...command.params.map((_, index) => letters[index] === "o" ? arena().address(args[index]) : args[index]));
}

function callPlainly(frame: Frame, target: Target): unknown {
  for (const output of frame.plan.outputs) makeRoom(frame, output);
  return returned(frame, call(frame, target));
}

/** Queries the count, makes room, and queries again; repeats, up to a bound, while the result is VK_INCOMPLETE. */
function fill(frame: Frame, target: Target): unknown {
  const filled = frame.plan.outputs.filter((each) => isFilled(frame.plan, each));
  for (const each of frame.plan.outputs) if (!filled.includes(each)) makeRoom(frame, each);
  frame.count = arena().alloc(8);
  let result: unknown, turn = 0;
  do {
    arena().zero(frame.count, 8);
    for (const each of filled) frame.places.set(each, 0);
    result = callCounting(frame, target);
    if (frame.filled === 0) break;
    for (const each of filled) makeRoom(frame, each);
    result = callCounting(frame, target);
  } while (result === VK_INCOMPLETE && countsAgain(++turn, frame.filled, frame.plan.command.name));
  return returned(frame, result);
}

function callCounting(frame: Frame, target: Target): unknown {
  const result = call(frame, target), { view } = arena();
  const wide = frame.plan.fill!.kind === "usize";
  frame.filled = wide
    ? Number(view.getBigUint64(frame.count, true))
    : counted(view.getUint32(frame.count, true), frame.plan.command.name);
  return result;
}

function call(frame: Frame, { call, offset, fail }: Target): unknown {
  const { command, parameters } = frame.plan;
  const result = call(...parameters.map((each) => argument(frame, each)), offset);
  rethrowFault();
  if (command.result === "VkResult" && result < 0) fail(command.name, result);
  return result;
}

function returned(frame: Frame, result: unknown): unknown {
  const { outputs, returnsResult, command } = frame.plan;
  const value = command.result === "VkBool32" ? result !== 0 : result;
  if (outputs.length === 0) return returnsResult ? value : undefined;
  if (outputs.length === 1 && !returnsResult) return readOutput(frame, outputs[0]);
  const members = outputs.map((each) => [resultKey(each.name), readOutput(frame, each)]);
  return Object.fromEntries(returnsResult ? [["result", value], ...members] : members);
}
