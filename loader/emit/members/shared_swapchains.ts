import type { Label } from "../../../ffi/asm/code.ts";
import type { MemberJumpSpec, MembersSpec } from "./spec.ts";
import type { Routine, Variable } from "../../../ffi/emit/routine.ts";
import { MEMBER, SURFACE } from "../layout.ts";
import { VK_ERROR_OUT_OF_HOST_MEMORY } from "../../gen/native_gen.ts";

/** Functions of the C library that members use: byte offsets of their addresses in a list of ours. */
export const CALLS = {
  dprintf: 0,
  malloc: 8,
  memcpy: 16,
  free: 24,
  calloc: 32,
  memcmp: 40,
  getenv: 48,
  strcmp: 56,
} as const;

const STANDARD_ERROR = 2;

/** Writes a function that reports why a command is refused, and returns its result in that case. */
export function writeRefused(
  routine: Routine,
  { name, absent: { result, said } }: Pick<MemberJumpSpec, "name" | "absent">,
  calls: number,
): Label {
  const text: Variable = 0, at: Variable = 1, label = routine.begin(`refused ${name}`);
  routine.loadSlot(text, said!);
  routine.loadSlot(at, calls);
  routine.passNumber(0, STANDARD_ERROR);
  routine.pass(1, text);
  routine.callAt(at, CALLS.dprintf);
  routine.finish(result >>> 0);
  return label;
}

/**
 * `VkResult create(device, uint32_t count, infos, allocator, out)`: the member is called with a copy of the structs, in
 * which its own surfaces stand; what is no surface of the instance, or none that the member has, is refused.
 */
export function writeSharedSwapchains(
  routine: Routine,
  { memberOffset, calls }: MembersSpec,
  shared: MembersSpec["shared"] & object,
  refused: Label,
): void {
  const { name, target, struct: { size, handle } } = shared;
  const table: Variable = 0, left: Variable = 1, copy: Variable = 2, at: Variable = 3, value: Variable = 4;
  const DEVICE = 0, COUNT = 1, INFOS = 2, ALLOCATOR = 3, OUT = 4, BYTES = 5;
  const next = routine.label(), done = routine.label(), foreign = routine.label(), full = routine.label();
  const end = routine.label();
  routine.begin(name, 6);
  for (let index = 0; index < 5; index++) {
    routine.argument(value, index);
    routine.storeCell(index, value);
  }
  routine.loadCell(table, DEVICE);
  routine.load(table, table);
  routine.load(table, table, memberOffset);
  routine.cellAddress(left, COUNT);
  routine.load32(left, left); // the upper 32 bits of an argument are undefined
  routine.storeCell(COUNT, left);
  writeMultiply(routine, value, left, size);
  routine.storeCell(BYTES, value);
  routine.pass(0, value);
  routine.loadSlot(at, calls);
  routine.callAt(at, CALLS.malloc);
  routine.wideResult(copy);
  routine.ifZero(copy, full);
  for (const [index, cell] of [[1, INFOS], [2, BYTES]]) {
    routine.loadCell(value, cell);
    routine.pass(index, value);
  }
  routine.pass(0, copy);
  routine.callAt(at, CALLS.memcpy);
  routine.copy(at, copy);
  routine.place(next);
  routine.ifZero(left, done);
  routine.load(value, at, handle);
  routine.ifZero(value, foreign);
  routine.storeCell(BYTES, left);
  routine.load(left, value, SURFACE.instance);
  routine.storeCell(INFOS, at);
  routine.load(at, table, MEMBER.joined);
  routine.ifNotEqual(left, at, foreign);
  routine.load(at, table, MEMBER.surface);
  routine.addVariable(value, at);
  routine.load(value, value);
  routine.ifZero(value, foreign);
  routine.loadCell(at, INFOS);
  routine.loadCell(left, BYTES);
  routine.store(at, handle, value);
  routine.add(at, size);
  routine.decrement(left);
  routine.jump(next);
  routine.place(done);
  routine.pass(2, copy);
  for (const [index, cell] of [[0, DEVICE], [1, COUNT], [3, ALLOCATOR], [4, OUT]]) {
    routine.loadCell(value, cell);
    routine.pass(index, value);
  }
  routine.callAt(table, target);
  routine.result(value);
  routine.jump(end);
  routine.place(foreign);
  routine.call(refused);
  routine.result(value);
  routine.place(end);
  routine.pass(0, copy);
  routine.loadSlot(at, calls);
  routine.callAt(at, CALLS.free);
  routine.finish({ variable: value });
  routine.place(full);
  routine.finish(VK_ERROR_OUT_OF_HOST_MEMORY >>> 0);
}

/** `to = from * factor`, with a factor whose bits say what is added. */
export function writeMultiply(routine: Routine, to: Variable, from: Variable, factor: number): void {
  routine.set(to, 0);
  for (let bit = 31 - Math.clz32(factor); bit >= 0; bit--) {
    routine.addVariable(to, to);
    if (factor >> bit & 1) routine.addVariable(to, from);
  }
}
