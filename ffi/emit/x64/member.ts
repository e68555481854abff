import { EQUAL, NOT_EQUAL, R10, R11, RAX, RDI, RSP, type X64 } from "../../asm/x64.ts";
import type { Label } from "../../asm/code.ts";
import type { MemberJumpSpec, OurHandle } from "../emitter.ts";
import { MEMBER, PHYSICAL_DEVICE, SURFACE } from "../vulkan_layout.ts";
import { ARGUMENTS } from "./stub.ts";

/** Writes functions that exchange the physical device for the member's own and go on to the member's function. */
export function writeMembers(code: X64, count: number): void {
  for (let index = 0; index < count; index++) {
    code.alignEntry();
    enterMember(code);
    code.jumpMemory(RAX, MEMBER.functions + 8 * index);
  }
}

/** Writes a function that exchanges one handle in the arguments, too. */
export function writeMemberJump(code: X64, spec: MemberJumpSpec, memberOffset: number, refused?: Label): void {
  const go = code.label(), absent = code.label(), argument = ARGUMENTS[spec.argument];
  if (spec.holder === "physicalDevice") {
    enterMember(code);
  } else {
    code.load(RAX, RDI);
    code.load(RAX, RAX, memberOffset);
  }
  code.test(argument);
  code.jumpIf(EQUAL, go);
  if (spec.struct) callWithCopy(code, spec, argument, absent);
  else {
    code.mov(R10, argument);
    exchange(code, "surface", absent);
    code.mov(argument, R11);
  }
  code.place(go);
  code.jumpMemory(RAX, spec.target);
  code.place(absent);
  returnAbsent(code, spec, refused);
}

function returnAbsent(code: X64, { absent, struct }: MemberJumpSpec, refused?: Label): void {
  if (struct) code.addImmediate(RSP, frameOf(struct.size));
  if (refused !== undefined) return code.jump(refused);
  code.movImmediate32(RAX, absent.result);
  if (absent.clear !== undefined) {
    code.xor32(R11, R11);
    code.store32(ARGUMENTS[absent.clear], 0, R11);
  }
  code.ret();
}

/** Bytes of a frame that keeps the stack aligned at the call. */
function frameOf(size: number): number {
  return size % 16 === 8 ? size : size + 8;
}

/** The member's table to rax, the member's own physical device to rdi. */
function enterMember(code: X64): void {
  code.load(RAX, RDI, PHYSICAL_DEVICE.table);
  code.load(RDI, RDI, PHYSICAL_DEVICE.handle);
}

/** To r11, what the member has for our handle in r10; on to `absent` for a surface it does not have. */
function exchange(code: X64, kind: OurHandle, absent: Label): void {
  if (kind === "physicalDevice") code.load(R11, R10, PHYSICAL_DEVICE.handle);
  else if (kind === "instance") code.load(R11, RAX, MEMBER.instance);
  else {
    code.load(R11, RAX, MEMBER.joined);
    code.compareMemory(R11, R10, SURFACE.instance);
    code.jumpIf(NOT_EQUAL, absent);
    code.load(R11, RAX, MEMBER.surface);
    code.add(R11, R10);
    code.load(R11, R11);
    code.test(R11);
    code.jumpIf(EQUAL, absent);
  }
}

/** Calls the member with a copy of the struct, in which the handle is exchanged, and returns. */
function callWithCopy(
  code: X64,
  { struct, target, absent: { said } }: MemberJumpSpec,
  argument: number,
  absent: Label,
): void {
  const { size, handle, kinds } = struct!, ready = code.label();
  const exits = { ready, absent, none: said === undefined ? ready : absent };
  code.subtractImmediate(RSP, frameOf(size));
  for (let at = 0; at < size; at += 8) {
    code.load(R10, argument, at);
    code.store(RSP, at, R10);
  }
  code.mov(argument, RSP);
  for (const { type, kind } of kinds) exchangeIn(code, handle, kind, type, exits);
  code.place(ready);
  code.callMemory(RAX, target);
  code.addImmediate(RSP, frameOf(size));
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
  code: X64,
  handle: number,
  kind: OurHandle,
  type: number | undefined,
  { ready, absent, none }: Exits,
): void {
  const other = code.label();
  if (type !== undefined) {
    code.load32(R10, RSP, 16);
    code.movImmediate32(R11, type);
    code.compare32(R10, R11);
    code.jumpIf(NOT_EQUAL, other);
  }
  code.load(R10, RSP, handle);
  code.test(R10);
  code.jumpIf(EQUAL, none);
  exchange(code, kind, absent);
  code.store(RSP, handle, R11);
  code.jump(ready);
  code.place(other);
}
