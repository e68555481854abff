import { type A64, NE, SP, X16, X17 } from "../../asm/a64.ts";
import type { Label } from "../../asm/code.ts";
import type { MemberJumpSpec, OurHandle } from "../emitter.ts";
import { MEMBER, PHYSICAL_DEVICE, SURFACE } from "../vulkan_layout.ts";

/** Registers that hold the member's table, our handle and what it is exchanged for, and bytes copied. */
const TABLE = X17, OURS = 9, THEIRS = 10, BYTES = 11;
/** Bytes at the bottom of a frame that the saved registers take. */
const SAVED = 16;

/** Writes functions that exchange the physical device for the member's own and go on to the member's function. */
export function writeMembers(code: A64, count: number): void {
  for (let index = 0; index < count; index++) {
    code.alignEntry();
    code.load(X16, 0, PHYSICAL_DEVICE.table);
    code.load(0, 0, PHYSICAL_DEVICE.handle);
    code.load(X16, X16, MEMBER.functions + 8 * index);
    code.jumpRegister(X16);
  }
}

/** Writes a function that exchanges one handle in the arguments, too. */
export function writeMemberJump(code: A64, spec: MemberJumpSpec, memberOffset: number, refused?: Label): void {
  const go = code.label(), absent = code.label();
  if (spec.holder === "physicalDevice") {
    code.load(TABLE, 0, PHYSICAL_DEVICE.table);
    code.load(0, 0, PHYSICAL_DEVICE.handle);
  } else {
    code.load(X16, 0);
    code.loadFar(TABLE, X16, memberOffset);
  }
  code.jumpIfZero(spec.argument, go);
  if (spec.struct) callWithCopy(code, spec, absent);
  else {
    code.mov(OURS, spec.argument);
    exchange(code, "surface", absent);
    code.mov(spec.argument, THEIRS);
  }
  code.place(go);
  code.load(X16, TABLE, spec.target);
  code.jumpRegister(X16);
  code.place(absent);
  returnAbsent(code, spec, refused);
}

function returnAbsent(code: A64, { absent, struct }: MemberJumpSpec, refused?: Label): void {
  if (struct) code.leave(frameOf(struct.size));
  if (refused !== undefined) return code.jump(refused);
  if (absent.clear !== undefined) {
    code.movImmediate32(OURS, 0);
    code.store32(OURS, absent.clear);
  }
  code.movImmediate32(0, absent.result);
  code.ret();
}

function frameOf(size: number): number {
  return SAVED + (size + 15 & ~15);
}

/** What the member has for our handle; on to `absent` for a surface it does not have. */
function exchange(code: A64, kind: OurHandle, absent: Label): void {
  if (kind === "physicalDevice") code.load(THEIRS, OURS, PHYSICAL_DEVICE.handle);
  else if (kind === "instance") code.load(THEIRS, TABLE, MEMBER.instance);
  else {
    code.load(THEIRS, TABLE, MEMBER.joined);
    code.load(BYTES, OURS, SURFACE.instance);
    code.compare(THEIRS, BYTES);
    code.jumpIf(NE, absent);
    code.load(THEIRS, TABLE, MEMBER.surface);
    code.addRegister(THEIRS, THEIRS, OURS);
    code.load(THEIRS, THEIRS);
    code.jumpIfZero(THEIRS, absent);
  }
}

/** Calls the member with a copy of the struct, in which the handle is exchanged, and returns. */
function callWithCopy(
  code: A64,
  { struct, target, argument, absent: { said } }: MemberJumpSpec,
  absent: Label,
): void {
  const { size, handle, kinds } = struct!, ready = code.label();
  const exits = { ready, absent, none: said === undefined ? ready : absent };
  code.enter(frameOf(size));
  for (let at = 0; at < size; at += 8) {
    code.load(BYTES, argument, at);
    code.store(BYTES, SP, SAVED + at);
  }
  code.add(argument, SP, SAVED);
  for (const { type, kind } of kinds) exchangeIn(code, SAVED + handle, kind, type, exits);
  code.place(ready);
  code.load(X16, TABLE, target);
  code.callRegister(X16);
  code.leave(frameOf(size));
  code.ret();
}

interface Exits {
  readonly ready: Label;
  readonly absent: Label;
  /** For NULL. */
  readonly none: Label;
}

/** Exchanges the handle in the copy on the stack, if it is of that kind. */
function exchangeIn(
  code: A64,
  handle: number,
  kind: OurHandle,
  type: number | undefined,
  { ready, absent, none }: Exits,
): void {
  const other = code.label();
  if (type !== undefined) {
    code.load32(OURS, SP, SAVED + 16);
    code.movImmediate32(THEIRS, type);
    code.compare32(OURS, THEIRS);
    code.jumpIf(NE, other);
  }
  code.load(OURS, SP, handle);
  code.jumpIfZero(OURS, none);
  exchange(code, kind, absent);
  code.store(THEIRS, SP, handle);
  code.jump(ready);
  code.place(other);
}
