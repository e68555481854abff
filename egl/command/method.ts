import { arena, inFrame } from "../../ffi/arena.ts";
import { readCString } from "../../ffi/cstring.ts";
import * as input from "./input.ts";
import { leastOf, type Step } from "./plan.ts";
import * as output from "./output.ts";
import type { Value } from "./output.ts";
import { isWide } from "./memory.ts";
import { sizeOfName } from "./sizes.ts";
import type { Command } from "./spec.ts";

/** A command's raw form: C parameters as numbers and bigints. */
export type RawCall = (...args: (number | bigint)[]) => number | bigint | undefined;
/** A command's typed form. */
// deno-lint-ignore no-explicit-any
export type Method = (...args: any[]) => unknown;

/** A check that commands call while it is set, with all values; it throws to refuse the call. */
export interface Guard {
  /** Gets the values, and what the command gave for itself. */
  check?: (values: readonly (number | bigint)[], what: unknown) => void;
}

/** The objects, besides the command, that a typed method needs. */
export interface MethodParts {
  /** Carries the command out. */
  readonly call: RawCall;
  /** Looks at the result before outputs are read, and throws when it says that the command failed. */
  readonly check?: (result: number | bigint | undefined) => void;
  /** Bytes that a command reads or writes behind a `void` pointer, where the registry doesn't say; by all values. */
  readonly bytes?: (values: readonly (number | bigint)[]) => number | undefined;
  /** A check before the call, and what is checked. */
  readonly before?: { readonly guard: Guard; readonly what: unknown };
}

/** Characters and arrays of unknown length that are tried first, before asking again with more room. */
const FIRST_ROOM = 1024;

/** One call on its way: the caller's arguments, the command's arguments, and the places of outputs. */
interface Frame {
  readonly given: unknown[];
  readonly values: (number | bigint)[];
  readonly offsets: number[];
}

/** Whether callers give this parameter. */
export function isGiven({ role }: Step): boolean {
  return ["value", "array", "data", "text", "texts", "attribs", "outData"].includes(role);
}

/** The typed form of a command, carried out step by step. */
export function interpretedMethod(command: Command, steps: readonly Step[], parts: MethodParts): Method {
  return (...args) => inFrame(() => carryOut(command, steps, parts, args));
}

function carryOut(command: Command, steps: readonly Step[], parts: MethodParts, args: unknown[]): unknown {
  const given = new Array(steps.length);
  let next = 0;
  steps.forEach((step, index) => given[index] = isGiven(step) ? args[next++] : undefined);
  const frame: Frame = { given, values: new Array(steps.length).fill(0n), offsets: new Array(steps.length).fill(0) };
  steps.forEach((step, index) => placeInput(step, index, frame));
  checkSizes(steps, frame, parts);
  parts.before?.guard.check?.(frame.values, parts.before.what);
  const result = callWithRoom(steps, frame, parts);
  return returned(command, steps, frame, result);
}

/** The value of everything that is no output. Counts come before the arrays they belong to, so arrays set them. */
function placeInput(step: Step, index: number, { given, values }: Frame): void {
  const value = given[index];
  switch (step.role) {
    case "value":
      values[index] = plainValue(step, value);
      break;
    case "array":
      values[index] = input.placeNumbers(value as input.GlNumbers, input.elementOf(step.code), step.name);
      if (step.by) values[step.by.index] = input.countOf(value, step.by.factor, input.elementOf(step.code), step.name);
      break;
    case "data":
      values[index] = input.placeData(value as input.GlData, step.name);
      break;
    case "text":
      values[index] = input.placeText(value as string, step.name);
      if (step.by) values[step.by.index] = input.elementsIn((value ?? "") as string, "c");
      break;
    case "texts":
      values[index] = input.placeTexts(value as string[], step.name);
      if (step.by) values[step.by.index] = input.textCount(value as string[]);
      break;
    case "attribs":
      values[index] = input.placeAttributes(value as input.EglAttributes, step.code, step.name);
  }
}

/** A value as the call path takes it. */
export function plainValue({ code, name }: Step, value: unknown): number | bigint {
  if (isWide(code)) return input.toBigInt(value, name);
  if (code === "b" || code === "B") return input.toBoolean(value, name);
  const number = input.toNumber(value, name, code);
  if (code === "f" || code === "d") return number;
  return "iyh".includes(code) ? number | 0 : number >>> 0;
}

/** Refuses memory that is shorter than what the command would read. */
function checkSizes(steps: readonly Step[], { given, values }: Frame, parts: MethodParts): void {
  steps.forEach((step, index) => {
    const { role, code, name, by } = step;
    if (role === "array") {
      const least = leastOf(steps, step, values);
      input.needArray(given[index], least, name);
      input.needElements(given[index], least, input.elementOf(code), name);
    }
    if (role !== "data") return;
    const needed = by ? Number(values[by.index]) * by.factor : parts.bytes?.(values);
    if (needed !== undefined) input.needElements(given[index], needed, "v", name);
  });
}

/** Calls with room for the outputs, and again with more where the first was too small. */
function callWithRoom(steps: readonly Step[], frame: Frame, { call, check, bytes }: MethodParts) {
  for (let room = steps.some(({ role }) => role === "fill") ? 0 : FIRST_ROOM;;) {
    steps.forEach((step, index) => placeOutput(step, index, frame, room, bytes));
    const result = call(...frame.values);
    check?.(result);
    const wanted = wantedRoom(steps, frame, room);
    if (wanted <= room) return result;
    room = wanted;
  }
}

function placeOutput(step: Step, index: number, frame: Frame, room: number, bytes: MethodParts["bytes"]): void {
  const { role, code } = step, { values, offsets } = frame;
  if (role === "lengths") values[index] = 0n;
  if (role === "room") values[index] = room;
  if (role === "outData") placeOutData(step, index, frame, bytes);
  if (!["out", "used", "fill", "outText"].includes(role)) return;
  if (role === "fill" && room === 0) return void (values[index] = 0n);
  if (role === "fill" || role === "outText") offsets[index] = output.roomFor(room, code);
  else if (isUnknown(step, values)) offsets[index] = output.unknownRoom(elementCode(step));
  else offsets[index] = output.roomFor(countOfOutput(step, values), elementCode(step));
  values[index] = arena().address(offsets[index]);
}

/** The caller's memory or fresh memory, as native memory for the time of the call. */
function placeOutData(step: Step, index: number, { given, values, offsets }: Frame, bytes: MethodParts["bytes"]): void {
  const needed = step.by ? Number(values[step.by.index]) * step.by.factor : bytes?.(values);
  if (given[index] === undefined) given[index] = new Uint8Array(needed ?? 0);
  input.needElements(given[index], needed ?? 0, "v", step.name);
  const address = input.placeData(given[index] as input.GlData, step.name);
  values[index] = address;
  offsets[index] = Number(address - arena().base);
}

/** The room that the outputs would have needed, by the command's own count. */
function wantedRoom(steps: readonly Step[], { offsets }: Frame, room: number): number {
  let wanted = 0;
  const isText = steps.some(({ role }) => role === "outText");
  steps.forEach(({ role, code }, index) => {
    if (role !== "used") return;
    const used = Number(output.readValue(code, offsets[index]));
    if (!isText) wanted = steps.some((each) => each.role === "fill") ? used : 0;
    else if (used >= room - 1) wanted = room * 8;
  });
  return wanted > 1 << 22 ? 0 : wanted;
}

function elementCode({ code, stars }: Step): string {
  return stars > 1 ? "P" : code;
}

/** Outputs sized by the name that is asked for. */
function isUnknown(step: Step, values: readonly (number | bigint)[]): boolean {
  return step.role === "out" && step.by === undefined && (step.len[0] === "@" || step.len === "4") && values.length > 1;
}

function countOfOutput(step: Step, values: readonly (number | bigint)[]): number {
  if (step.by) return Math.max(0, Math.trunc(Number(values[step.by.index]) * step.by.factor));
  return /^\d+$/.test(step.len) ? Number(step.len) : 1;
}

/** The result and the outputs: alone if there is one, else as an object. */
function returned(command: Command, steps: readonly Step[], frame: Frame, result: number | bigint | undefined) {
  const outputs = steps.flatMap((step, index) =>
    ["out", "fill", "outText", "outData"].includes(step.role)
      ? [[step.name, readOutput(step, index, steps, frame)]]
      : []
  );
  const own = resultValue(command, result);
  if (outputs.length === 0) return own;
  if (outputs.length === 1 && own === undefined) return outputs[0][1];
  return Object.fromEntries(own === undefined ? outputs : [["result", own], ...outputs]);
}

function readOutput(step: Step, index: number, steps: readonly Step[], frame: Frame): unknown {
  const at = frame.offsets[index], used = usedBy(steps, frame);
  if (step.role === "outText") return output.readText(at, FIRST_ROOM << 12);
  if (step.role === "outData") return takeData(frame.given[index], at, used);
  if (step.role === "fill") return output.readValues(step.code, at, used ?? 0);
  const code = elementCode(step);
  if (isUnknown(step, frame.values)) return readUnknown(step, at, steps, frame);
  const count = countOfOutput(step, frame.values);
  if (!step.by && count === 1) return output.readValue(code, at);
  return output.readValues(code, at, step.by ? Math.min(count, used ?? count) : count);
}

function usedBy(steps: readonly Step[], { offsets }: Frame): number | undefined {
  const index = steps.findIndex(({ role }) => role === "used");
  return index < 0 ? undefined : Number(output.readValue(steps[index].code, offsets[index]));
}

/** By the name's known size if it has one, else as many values as the command wrote. */
function readUnknown({ code }: Step, at: number, steps: readonly Step[], { values }: Frame): Value | Value[] {
  const names = steps.flatMap(({ name, role, code }, index) =>
    role === "value" && code === "e" && /name|target|query/.test(name) ? [Number(values[index])] : []
  );
  const known = names.map(sizeOfName).find((size) => size !== undefined);
  const written = output.writtenIn(at, code);
  if (known !== undefined) return output.readValues(code, at, Math.min(known || written, written));
  if (written === 0) return code === "b" ? false : isWide(code) ? 0n : 0;
  return written === 1 ? output.readValue(code, at) : output.readValues(code, at, written);
}

/** The data that a command wrote to the caller's memory; data in the arena is copied back. */
function takeData(given: unknown, offset: number, used: number | undefined): unknown {
  if (typeof given !== "object" || given === null) return undefined;
  const bytes = input.bytesOf(given as ArrayBufferView);
  if (bytes.byteLength < input.IN_PLACE) bytes.set(arena().bytes.subarray(offset, offset + bytes.byteLength));
  return used === undefined ? given : bytes.subarray(0, used);
}

/** A result as callers get it. */
export function resultValue({ result }: Command, value: number | bigint | undefined): unknown {
  if (result === "b") return ((value as number) & 0xff) !== 0;
  if (result === "B") return undefined;
  return result === "*c" || result === "*Y" ? readCString(value as bigint) : value;
}
