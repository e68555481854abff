import { type A64, EQ, LS, NE, X16, X17 } from "../../asm/a64.ts";
import type { Label } from "../../asm/code.ts";
import type { CheckedTrampolineSpec, CheckPaths, CheckSlots, RefuseSlots } from "../emitter.ts";
import { packText, TABLE_SETS, type TableSet } from "../layout.ts";

/** Registers without arguments. */
export const OFFSET = 10;
const HASH = 9, TEXT = 11, PLACE = 12, LIMIT = 13;

/**
 * Writes the first look at the handle in x0, which leaves its table in x16.
 * Continues elsewhere if the table is not at its own place. Uses x9 and x17.
 */
export function writeFirstLook(code: A64, set: TableSet, sets: number, isNull: Label, elsewhere: Label): void {
  code.jumpIfZero(0, isNull);
  code.load(X16, 0);
  writeSet(code, set, sets);
  code.extractBits(HASH, X16, TABLE_SETS.hashShift, TABLE_SETS.hashBits);
  code.loadScaled(X17, X17, HASH);
  code.compare(X17, X16);
  code.jumpIf(NE, elsewhere);
}

/**
 * Writes the search of all places: continues at `found` with the table in x16,
 * or at `missing`. Uses x9, x12, x13 and x17.
 */
export function writeLook(code: A64, set: TableSet, sets: number, found: Label, missing: Label): void {
  code.jumpIfZero(0, missing);
  code.load(X16, 0);
  code.movImmediate32(LIMIT, TABLE_SETS.goneAt2);
  code.compare(X16, LIMIT);
  code.jumpIf(LS, missing);
  writeSet(code, set, sets);
  code.extractBits(HASH, X16, TABLE_SETS.hashShift, TABLE_SETS.hashBits);
  code.movImmediate32(LIMIT, TABLE_SETS.freeAt0);
  const next = code.here(), free = code.label();
  code.loadScaled(PLACE, X17, HASH);
  code.compare(PLACE, X16);
  code.jumpIf(EQ, found);
  code.compare(PLACE, LIMIT);
  code.jumpIf(LS, free);
  code.add(HASH, HASH, 1);
  code.extractBits(HASH, HASH, 0, TABLE_SETS.hashBits);
  code.jump(next);
  code.place(free);
  code.loadSlot(X17, sets);
  code.addPages(X17, X17, TABLE_SETS.full >> 12);
  code.load32(PLACE, X17, TABLE_SETS.full & 4095);
  code.jumpIfZero32(PLACE, missing);
  code.jump(found);
}

function writeSet(code: A64, set: TableSet, sets: number): void {
  code.loadSlot(X17, sets);
  if (TABLE_SETS[set] > 0) code.addPages(X17, X17, TABLE_SETS[set] >> 12);
}

/** Writes the end of a process that called a command with an argument that is not a handle. w11 is the packed text. */
export function writeReport(code: A64, slots: CheckSlots): void {
  code.loadSlot(2, slots.names);
  code.extractBits(HASH, TEXT, 0, 16);
  code.addRegister(2, 2, HASH);
  code.loadSlot(3, slots.parameters);
  code.extractBits(HASH, TEXT, 16, 16);
  code.addRegister(3, 3, HASH);
  code.mov(4, 2);
  code.mov(5, 3);
  code.loadSlot(1, slots.format);
  code.movImmediate32(0, 2); // int dprintf(int fd, const char *format, ...)
  code.loadSlot(X16, slots.dprintf);
  code.callRegister(X16);
  code.loadSlot(X16, slots.abort);
  code.callRegister(X16);
}

/** Writes where checked trampolines continue. w10 is the offset in the table, w11 the packed text. */
export function writeCheckPaths(code: A64, slots: CheckSlots): CheckPaths {
  const report = code.label();
  const paths = {
    instance: writePath(code, "instance", slots, report),
    device: writePath(code, "device", slots, report),
  };
  code.place(report);
  writeReport(code, slots);
  return paths;
}

/** Writes where checked stubs continue. w10 is the offset in the table. */
export function writeRefusalPaths(code: A64, slots: RefuseSlots): CheckPaths {
  const path = (set: "instance" | "device") => {
    const missing = code.label(), path = writePath(code, set, { sets: slots.sets, last: slots[set] }, missing);
    code.place(missing);
    code.mov32(1, OFFSET);
    code.movImmediate32(2, TABLE_SETS[set]);
    code.jumpSlot(slots.refuse);
    return path;
  };
  return { instance: path("instance"), device: path("device") };
}

/** Stores the found table in `last`. */
function writePath(
  code: A64,
  set: TableSet,
  { sets, last }: { readonly sets: number; readonly last?: number },
  missing: Label,
): Label {
  const found = code.label(), path = code.here();
  writeLook(code, set, sets, found, missing);
  code.place(found);
  if (last !== undefined) {
    code.slotAddress(HASH, last);
    code.store(X16, HASH);
  }
  code.loadIndexed(X16, X16, OFFSET);
  code.jumpRegister(X16);
  return path;
}

/** Writes a jump through the dispatch table of the first argument, if that is a handle. */
export function writeCheckedTrampoline(
  code: A64,
  { tableOffset, set, isNullable, text }: CheckedTrampolineSpec,
  { sets }: CheckSlots,
  paths: CheckPaths,
): void {
  const elsewhere = code.label(), nothing = code.label();
  writeFirstLook(code, set, sets, isNullable ? nothing : elsewhere, elsewhere);
  code.loadFar(X16, X16, tableOffset);
  code.jumpRegister(X16);
  code.place(elsewhere);
  code.movImmediate32(OFFSET, tableOffset);
  code.movImmediate32(TEXT, packText(text));
  code.jump(paths[set as "instance" | "device"]);
  code.place(nothing);
  if (isNullable) code.ret(); // x0 is 0
}
