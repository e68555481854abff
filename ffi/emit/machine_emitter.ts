import { writeCheckedTrampoline, writeCheckPaths, writeRefusalPaths } from "./check.ts";
import { writeDeepCopy } from "./deep_copy.ts";
import { writeGate, writeTakeLeave } from "./cross_thread_gate.ts";
import type { CheckedStubSpec, CheckPaths, Emitter, RefuseSlots } from "./emitter.ts";
import { writeExchangeJump, writeExchangers } from "./exchange.ts";
import { writeHelpers } from "./helpers.ts";
import { writeLookups } from "./lookup.ts";
import type { Machine } from "./machine.ts";
import { writeAnswer, writeDefaulted, writeNameLookup, writeRefusal } from "./owned.ts";
import { writeRoute, writeTableJump, writeTakeError } from "./owned.ts";
import { writeProcAddr } from "./proc_addr.ts";
import { routineOf } from "./routine.ts";
import { writeStamp } from "./stamp.ts";
import { writeThunks } from "./thunk.ts";
import {
  writeCaptures,
  writeChoice,
  writeNothing,
  writeNullableTrampoline,
  writeSlotJump,
  writeTrampoline,
} from "./trampoline.ts";

/**
 * The pieces that each processor writes in its own way. Stubs are the hottest
 * code there is, and x86-64 does without a branch what takes one on AArch64;
 * `invoke` makes the stack grow; the thunks' rings count in one instruction or
 * in a loop. A function is begun already.
 */
export interface Pieces<Assembler extends Machine> {
  /** See {@linkcode Emitter.stub}. */
  writeStub(code: Assembler, shape: string, byTable: boolean, arenaBase: number): void;
  /** See {@linkcode Emitter.checkedStub}. */
  writeCheckedStub(code: Assembler, spec: CheckedStubSpec, slots: RefuseSlots, paths: CheckPaths): void;
  /** See {@linkcode Emitter.invoke}. */
  writeInvoke(code: Assembler): void;
  /** Records a call in the ring of the thunk whose record is in its register, if it has one. Preserves every argument. */
  writeRecord(code: Assembler): void;
}

/** Makes an emitter from the pieces of one processor. */
export function emitterOf<Assembler extends Machine>(code: Assembler, pieces: Pieces<Assembler>): Emitter {
  function named<Rest extends unknown[]>(write: (code: Assembler, ...rest: Rest) => void) {
    return (name: string, ...rest: Rest) => {
      code.begin(name);
      write(code, ...rest);
    };
  }
  return {
    code,
    routine: () => routineOf(code),
    stub: named(pieces.writeStub),
    refusalPaths: (slots) => writeRefusalPaths(code, slots),
    checkedStub: named(pieces.writeCheckedStub),
    helpers: (slots) => writeHelpers(code, slots, () => pieces.writeInvoke(code)),
    invoke() {
      code.alignEntry();
      const label = code.here();
      pieces.writeInvoke(code);
      return label;
    },
    captures(spec) {
      code.alignEntry();
      const label = code.here();
      writeCaptures(code, spec);
      return label;
    },
    thunks: (slots) => writeThunks(code, slots, () => pieces.writeRecord(code)),
    lookups: (count, records) => writeLookups(code, count, records),
    stamp: (spec) => named(writeStamp)(spec.name, spec),
    procAddr: (spec) => writeProcAddr(code, spec),
    exchangers: named(writeExchangers),
    exchangeJump: named(writeExchangeJump),
    choice: (name, spec) => writeChoice(routineOf(code), name, spec),
    trampoline: named(writeTrampoline),
    checkPaths: (slots) => writeCheckPaths(code, slots),
    checkedTrampoline: (spec, slots, paths) => named(writeCheckedTrampoline)(spec.name, spec, slots, paths),
    nullableTrampoline: named(writeNullableTrampoline),
    gate: () => writeGate(routineOf(code)),
    takeLeave: (slot) => writeTakeLeave(routineOf(code), slot),
    nothing: named(writeNothing),
    deepCopy: named(writeDeepCopy),
    slotJump: named(writeSlotJump),
    tableJump: named(writeTableJump),
    route: named(writeRoute),
    takeError: named(writeTakeError),
    nameLookup: named(writeNameLookup),
    answer: named(writeAnswer),
    defaulted: named(writeDefaulted),
    refusal: named(writeRefusal),
  };
}
