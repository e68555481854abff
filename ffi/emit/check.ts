import type { Label } from "../asm/code.ts";
import type { CheckedTrampolineSpec, CheckPaths, CheckSlots, RefuseSlots } from "./emitter.ts";
import { packText, TABLE_SETS, type TableSet } from "./layout.ts";
import type { Machine } from "./machine.ts";

/** The registers of a check: the handle's table, a packed text for the message, and the offset in the table. */
export function checkRegisters({ scratch: [table, text, offset] }: Machine) {
  return { table, text, offset } as const;
}

/**
 * Writes the first look at the handle in the first argument, which leaves its
 * table. Continues elsewhere if the table is not at its own place. Uses all
 * scratch registers.
 */
export function writeFirstLook(code: Machine, set: TableSet, sets: number, isNull: Label, elsewhere: Label): void {
  const [handle] = code.arguments, [table, hash, setsAt] = code.scratch;
  code.jumpIfZero(handle, isNull);
  code.load(table, handle);
  code.loadSlot(setsAt, sets);
  code.extractBits(hash, table, TABLE_SETS.hashShift, TABLE_SETS.hashBits);
  code.jumpUnlessElement(table, setsAt, hash, TABLE_SETS[set], elsewhere);
}

/**
 * Writes the search of all places: continues at `found` with the table, or at
 * `missing`. Leaves the text, and uses the extra registers.
 */
export function writeLook(code: Machine, set: TableSet, sets: number, found: Label, missing: Label): void {
  const [handle] = code.arguments, [table, , place] = code.scratch, [setsAt, hash] = code.extra;
  code.jumpIfZero(handle, missing);
  code.load(table, handle);
  code.jumpIfAtMost(table, TABLE_SETS.goneAt2, missing);
  code.loadSlot(setsAt, sets);
  code.extractBits(hash, table, TABLE_SETS.hashShift, TABLE_SETS.hashBits);
  const next = code.here(), free = code.label();
  code.loadElement(place, setsAt, hash, TABLE_SETS[set]);
  code.jumpIfEqual(place, table, found);
  code.jumpIfAtMost(place, TABLE_SETS.freeAt0, free);
  code.lea(hash, hash, 1);
  code.extractBits(hash, hash, 0, TABLE_SETS.hashBits);
  code.jump(next);
  code.place(free);
  code.lea(setsAt, setsAt, TABLE_SETS.full);
  code.load32(place, setsAt);
  code.jumpIfZero32(place, missing);
  code.jump(found);
}

/**
 * Writes the end of a process that called a command with an argument that is
 * not a handle. The packed text is in its register, and the stack has a frame.
 */
export function writeReport(code: Machine, slots: CheckSlots): void {
  const [file, format, name, parameter, nameAgain, parameterAgain] = code.arguments, [part] = code.scratch;
  const { text } = checkRegisters(code);
  code.loadSlot(name, slots.names);
  code.extractBits(part, text, 0, 16);
  code.sum(name, name, part);
  code.loadSlot(parameter, slots.parameters);
  code.extractBits(part, text, 16, 16);
  code.sum(parameter, parameter, part);
  code.mov(nameAgain, name);
  code.mov(parameterAgain, parameter);
  code.loadSlot(format, slots.format);
  code.movImmediate32(file, 2); // int dprintf(int fd, const char *format, ...)
  code.zero(part); // on x86-64, the number of floating-point arguments
  code.callSlot(slots.dprintf);
  code.callSlot(slots.abort);
}

/** Writes where checked trampolines continue. The packed text and the offset in the table are in their registers. */
export function writeCheckPaths(code: Machine, slots: CheckSlots): CheckPaths {
  const report = code.label();
  const path = (set: "instance" | "device") => writePath(code, set, slots, () => code.jump(report));
  const paths = { instance: path("instance"), device: path("device") };
  code.place(report);
  writeReport(code, slots);
  return paths;
}

/** Writes where checked stubs continue. The offset in the table is in its register. */
export function writeRefusalPaths(code: Machine, slots: RefuseSlots): CheckPaths {
  const path = (set: "instance" | "device") =>
    writePath(code, set, { sets: slots.sets, last: slots[set] }, (offset) => {
      const [, second, third] = code.arguments;
      code.load(second, code.stack, offset);
      code.movImmediate32(third, TABLE_SETS[set]);
      code.closeFrame(FRAME);
      code.jumpSlot(slots.refuse);
    });
  return { instance: path("instance"), device: path("device") };
}

/** Bytes of a path's frame: the offset in the table, and the extra registers. */
const FRAME = 24;

/**
 * Stores the found table in `last`. `writeMissing` gets the place on the stack
 * of the offset in the table, and the frame to close.
 */
function writePath(
  code: Machine,
  set: TableSet,
  { sets, last }: { readonly sets: number; readonly last?: number },
  writeMissing: (offset: number) => void,
): Label {
  const found = code.label(), missing = code.label(), path = code.here(), { table, offset } = checkRegisters(code);
  const at = code.openFrame(FRAME), kept = code.extra.filter((register) => code.arguments.includes(register));
  const loadKept = () => kept.forEach((register, index) => code.load(register, code.stack, at + 8 + 8 * index));
  code.store(code.stack, at, offset);
  kept.forEach((register, index) => code.store(code.stack, at + 8 + 8 * index, register));
  writeLook(code, set, sets, found, missing);
  code.place(found);
  if (last !== undefined) code.storeSlot(last, table);
  loadKept();
  code.load(offset, code.stack, at);
  code.closeFrame(FRAME);
  code.jumpIndexed(table, offset);
  code.place(missing);
  loadKept();
  writeMissing(at);
  return path;
}

/** Writes a jump through the dispatch table of the first argument, if that is a handle. */
export function writeCheckedTrampoline(
  code: Machine,
  { tableOffset, set, isNullable, text }: CheckedTrampolineSpec,
  { sets }: CheckSlots,
  paths: CheckPaths,
): void {
  const elsewhere = code.label(), nothing = code.label(), registers = checkRegisters(code);
  writeFirstLook(code, set, sets, isNullable ? nothing : elsewhere, elsewhere);
  code.jumpMemory(registers.table, tableOffset);
  code.place(elsewhere);
  code.movImmediate32(registers.offset, tableOffset);
  code.movImmediate32(registers.text, packText(text));
  code.jump(paths[set as "instance" | "device"]);
  code.place(nothing);
  if (!isNullable) return;
  code.zero(code.result);
  code.ret();
}
