import { NOT_EQUAL, R10, R11, R8, R9, RAX, RCX, RDI, RDX, RSI, RSP, type X64 } from "../../asm/x64.ts";

/** The registers integer arguments travel in, in order. */
export const ARGUMENTS: readonly number[] = [RDI, RSI, RDX, RCX, R8, R9];

/** Byte offset from the stack pointer, at entry, of the integer argument at `index`. */
export function stackArgument(index: number): number {
  return 8 * (index - ARGUMENTS.length) + 8; // the return address lies below
}

/** Writes a call stub: turns arena offsets into addresses, then jumps where the last argument says. */
export function writeStub(code: X64, shape: string, byTable: boolean, arenaBase: number): void {
  if (shape.includes("o")) code.loadSlot(R11, arenaBase);
  for (let index = 0; index < shape.length; index++) {
    if (shape[index] !== "o") continue;
    if (index < ARGUMENTS.length) addBase(code, ARGUMENTS[index]);
    else addBaseOnStack(code, stackArgument(index));
  }
  if (byTable) jumpByTable(code, shape.length);
  else jumpByAddress(code, shape.length);
}

/** The upper half of a u32 argument is undefined, hence the move onto itself. */
function addBase(code: X64, register: number): void {
  code.mov32(register, register);
  code.leaIndexed(RAX, R11, register);
  code.test32(register);
  code.moveIf(NOT_EQUAL, register, RAX);
}

function addBaseOnStack(code: X64, offset: number): void {
  code.load32(RAX, RSP, offset);
  code.leaIndexed(R10, R11, RAX);
  code.test32(RAX);
  code.moveIf(NOT_EQUAL, RAX, R10);
  code.store(RSP, offset, RAX);
}

function jumpByTable(code: X64, count: number): void {
  const index = count < ARGUMENTS.length ? ARGUMENTS[count] : R10;
  if (index === R10) code.load32(R10, RSP, stackArgument(count));
  else code.mov32(index, index);
  code.load(RAX, RDI);
  code.jumpIndexed(RAX, index);
}

function jumpByAddress(code: X64, count: number): void {
  if (count < ARGUMENTS.length) code.jumpRegister(ARGUMENTS[count]);
  else code.jumpMemory(RSP, stackArgument(count));
}
