import {
  BELOW_OR_EQUAL,
  EQUAL,
  NOT_EQUAL,
  R10,
  R11,
  R8,
  R9,
  RAX,
  RCX,
  RDI,
  RDX,
  RSI,
  type X64,
} from "../../asm/x64.ts";
import type { Label } from "../../asm/code.ts";
import type { CheckedTrampolineSpec, CheckPaths, CheckSlots, RefuseSlots } from "../emitter.ts";
import { packText, TABLE_SETS, type TableSet } from "../layout.ts";

/** The hash of a table's address, as a mask. */
const MASK = (1 << TABLE_SETS.hashBits) - 1;

/**
 * Writes the first look at the handle in rdi, which leaves its table in rax.
 * Continues elsewhere if the table is not at its own place. Uses r10 and r11.
 */
export function writeFirstLook(code: X64, set: TableSet, sets: number, isNull: Label, elsewhere: Label): void {
  code.jumpIfZero(RDI, isNull);
  code.load(RAX, RDI);
  code.loadSlot(R11, sets);
  writeHash(code, R10);
  code.compareScaled(RAX, R11, R10, TABLE_SETS[set]);
  code.jumpIf(NOT_EQUAL, elsewhere);
}

/** Writes the search of all places: continues at `found` with the table in rax, or at `missing`. Uses r8 to r11. */
export function writeLook(code: X64, set: TableSet, sets: number, found: Label, missing: Label): void {
  code.jumpIfZero(RDI, missing);
  code.load(RAX, RDI);
  code.compareImmediate(RAX, TABLE_SETS.goneAt2);
  code.jumpIf(BELOW_OR_EQUAL, missing);
  code.loadSlot(R8, sets);
  writeHash(code, R9);
  const next = code.here(), free = code.label();
  code.loadScaled(R11, R8, R9, TABLE_SETS[set]);
  code.compare(R11, RAX);
  code.jumpIf(EQUAL, found);
  code.compareImmediate(R11, TABLE_SETS.freeAt0);
  code.jumpIf(BELOW_OR_EQUAL, free);
  code.increment32(R9);
  code.andImmediate32(R9, MASK);
  code.jump(next);
  code.place(free);
  code.load32(R11, R8, TABLE_SETS.full);
  code.jumpIfZero32(R11, missing);
  code.jump(found);
}

function writeHash(code: X64, register: number): void {
  code.mov32(register, RAX);
  code.shiftRight32(register, TABLE_SETS.hashShift);
  code.andImmediate32(register, MASK);
}

/** Writes the end of a process that called a command with an argument that is not a handle. r10d is the packed text. */
export function writeReport(code: X64, slots: CheckSlots): void {
  code.lowerHalf32(RDX, R10);
  code.loadSlot(RAX, slots.names);
  code.add(RDX, RAX);
  code.mov32(RCX, R10);
  code.shiftRight32(RCX, 16);
  code.loadSlot(RAX, slots.parameters);
  code.add(RCX, RAX);
  code.mov(R8, RDX);
  code.mov(R9, RCX);
  code.loadSlot(RSI, slots.format);
  code.movImmediate32(RDI, 2); // int dprintf(int fd, const char *format, ...)
  code.xor32(RAX, RAX);
  code.callSlot(slots.dprintf);
  code.callSlot(slots.abort);
}

/** Writes where checked trampolines continue. r10d is the packed text; the offset in the table is on the stack. */
export function writeCheckPaths(code: X64, slots: CheckSlots): CheckPaths {
  const report = code.label();
  const paths = {
    instance: writePath(code, "instance", slots, () => code.jump(report)),
    device: writePath(code, "device", slots, () => code.jump(report)),
  };
  code.place(report);
  writeReport(code, slots);
  return paths;
}

/** Writes where checked stubs continue. The offset in the table is on the stack. */
export function writeRefusalPaths(code: X64, slots: RefuseSlots): CheckPaths {
  const path = (set: "instance" | "device") =>
    writePath(code, set, { sets: slots.sets, last: slots[set] }, () => {
      code.pop(RSI);
      code.movImmediate32(RDX, TABLE_SETS[set]);
      code.jumpSlot(slots.refuse);
    });
  return { instance: path("instance"), device: path("device") };
}

/**
 * At entry the stack is not aligned for calls. One more word aligns it, as at
 * `writeMissing`. Stores the found table in `last`.
 */
function writePath(
  code: X64,
  set: TableSet,
  { sets, last }: { readonly sets: number; readonly last?: number },
  writeMissing: () => void,
): Label {
  const found = code.label(), missing = code.label(), path = code.here();
  code.push(R8);
  code.push(R9);
  writeLook(code, set, sets, found, missing);
  code.place(found);
  if (last !== undefined) code.storeSlot(last, RAX);
  code.pop(R9);
  code.pop(R8);
  code.pop(R11);
  code.jumpIndexed(RAX, R11);
  code.place(missing);
  code.pop(R9);
  code.pop(R8);
  writeMissing();
  return path;
}

/** Writes a jump through the dispatch table of the first argument, if that is a handle. */
export function writeCheckedTrampoline(
  code: X64,
  { tableOffset, set, isNullable, text }: CheckedTrampolineSpec,
  { sets }: CheckSlots,
  paths: CheckPaths,
): void {
  const elsewhere = code.label(), nothing = code.label();
  writeFirstLook(code, set, sets, isNullable ? nothing : elsewhere, elsewhere);
  code.jumpMemory(RAX, tableOffset);
  code.place(elsewhere);
  code.movImmediate32(R11, tableOffset);
  code.push(R11);
  code.movImmediate32(R10, packText(text));
  code.jump(paths[set as "instance" | "device"]);
  code.place(nothing);
  if (!isNullable) return;
  code.xor32(RAX, RAX);
  code.ret();
}
