import type { Code, Label } from "../asm/code.ts";
import { writeDoor } from "./door.ts";
import { writeTakeLeave } from "./take_leave.ts";
import { writeChoice } from "./first_argument.ts";
import type { Routine } from "./routine.ts";
import type {
  AnswerSlots,
  CaptureSpec,
  CheckedStubSpec,
  CheckedTrampolineSpec,
  CheckPaths,
  CheckSlots,
  DeepCopySpec,
  DefaultedSlots,
  Emitter,
  ExchangeJumpSpec,
  ExchangersSpec,
  HelperSlots,
  NameLookupSlots,
  ProcAddrSpec,
  RefusalSlots,
  RefuseSlots,
  RouteSlots,
  StampSpec,
  TableJumpSlots,
  TakeErrorSlots,
  ThunkSlots,
} from "./emitter.ts";

/**
 * The pieces that each processor must be able to write. Where an
 * {@linkcode Emitter} method takes a name, the function is begun already.
 */
export interface Pieces<Assembler extends Code> {
  /** See {@linkcode Emitter.stub}. */
  writeStub(code: Assembler, shape: string, byTable: boolean, arenaBase: number): void;
  /** See {@linkcode Emitter.refusalPaths}. */
  writeRefusalPaths(code: Assembler, slots: RefuseSlots): CheckPaths;
  /** See {@linkcode Emitter.checkedStub}. */
  writeCheckedStub(code: Assembler, spec: CheckedStubSpec, slots: RefuseSlots, paths: CheckPaths): void;
  /** See {@linkcode Emitter.helpers}. */
  writeHelpers(code: Assembler, slots: HelperSlots): void;
  /** See {@linkcode Emitter.invoke}. */
  writeInvoke(code: Assembler): void;
  /** See {@linkcode Emitter.captures}. */
  writeCaptures(code: Assembler, spec: CaptureSpec): void;
  /** See {@linkcode Emitter.thunks}. */
  writeThunks(code: Assembler, slots: ThunkSlots): void;
  /** See {@linkcode Emitter.lookups}. */
  writeLookups(code: Assembler, count: number, records: number): void;
  /** See {@linkcode Emitter.stamp}. */
  writeStamp(code: Assembler, spec: StampSpec): void;
  /** See {@linkcode Emitter.procAddr}. */
  writeProcAddr(code: Assembler, spec: ProcAddrSpec): void;
  /** See {@linkcode Emitter.exchangers}. */
  writeExchangers(code: Assembler, spec: ExchangersSpec): void;
  /** See {@linkcode Emitter.exchangeJump}. */
  writeExchangeJump(code: Assembler, spec: ExchangeJumpSpec, refused?: Label): void;
  /** Makes the instructions for functions that are written once for all processors. */
  routine(code: Assembler): Routine;
  /** See {@linkcode Emitter.trampoline}. */
  writeTrampoline(code: Assembler, tableOffset: number): void;
  /** See {@linkcode Emitter.checkPaths}. */
  writeCheckPaths(code: Assembler, slots: CheckSlots): CheckPaths;
  /** See {@linkcode Emitter.checkedTrampoline}. */
  writeCheckedTrampoline(code: Assembler, spec: CheckedTrampolineSpec, slots: CheckSlots, paths: CheckPaths): void;
  /** See {@linkcode Emitter.nullableTrampoline}. */
  writeNullableTrampoline(code: Assembler, tableOffset: number): void;
  /** See {@linkcode Emitter.nothing}. */
  writeNothing(code: Assembler): void;
  /** See {@linkcode Emitter.deepCopy}. */
  writeDeepCopy(code: Assembler, spec: DeepCopySpec): void;
  /** See {@linkcode Emitter.slotJump}. */
  writeSlotJump(code: Assembler, slot: number): void;
  /** See {@linkcode Emitter.tableJump}. */
  writeTableJump(code: Assembler, slots: TableJumpSlots): void;
  /** See {@linkcode Emitter.route}. */
  writeRoute(code: Assembler, slots: RouteSlots): void;
  /** See {@linkcode Emitter.takeError}. */
  writeTakeError(code: Assembler, slots: TakeErrorSlots): void;
  /** See {@linkcode Emitter.nameLookup}. */
  writeNameLookup(code: Assembler, slots: NameLookupSlots): void;
  /** See {@linkcode Emitter.answer}. */
  writeAnswer(code: Assembler, slots: AnswerSlots): void;
  /** See {@linkcode Emitter.defaulted}. */
  writeDefaulted(code: Assembler, slots: DefaultedSlots): void;
  /** See {@linkcode Emitter.refusal}. */
  writeRefusal(code: Assembler, slots: RefusalSlots): void;
}

/** Makes an emitter from the pieces of one processor. */
export function emitterOf<Assembler extends Code>(code: Assembler, pieces: Pieces<Assembler>): Emitter {
  function named<Rest extends unknown[]>(write: (code: Assembler, ...rest: Rest) => void) {
    return (name: string, ...rest: Rest) => {
      code.begin(name);
      write(code, ...rest);
    };
  }
  return {
    code,
    routine: () => pieces.routine(code),
    stub: named(pieces.writeStub),
    refusalPaths: (slots) => pieces.writeRefusalPaths(code, slots),
    checkedStub: named(pieces.writeCheckedStub),
    helpers: (slots) => pieces.writeHelpers(code, slots),
    invoke() {
      code.alignEntry();
      const label = code.here();
      pieces.writeInvoke(code);
      return label;
    },
    captures(spec) {
      code.alignEntry();
      const label = code.here();
      pieces.writeCaptures(code, spec);
      return label;
    },
    thunks: (slots) => pieces.writeThunks(code, slots),
    lookups: (count, records) => pieces.writeLookups(code, count, records),
    stamp: (spec) => named(pieces.writeStamp)(spec.name, spec),
    procAddr: (spec) => pieces.writeProcAddr(code, spec),
    exchangers: named(pieces.writeExchangers),
    exchangeJump: named(pieces.writeExchangeJump),
    choice: (name, spec) => writeChoice(pieces.routine(code), name, spec),
    trampoline: named(pieces.writeTrampoline),
    checkPaths: (slots) => pieces.writeCheckPaths(code, slots),
    checkedTrampoline: (spec, slots, paths) => named(pieces.writeCheckedTrampoline)(spec.name, spec, slots, paths),
    nullableTrampoline: named(pieces.writeNullableTrampoline),
    door: () => writeDoor(pieces.routine(code)),
    takeLeave: (slot) => writeTakeLeave(pieces.routine(code), slot),
    nothing: named(pieces.writeNothing),
    deepCopy: named(pieces.writeDeepCopy),
    slotJump: named(pieces.writeSlotJump),
    tableJump: named(pieces.writeTableJump),
    route: named(pieces.writeRoute),
    takeError: named(pieces.writeTakeError),
    nameLookup: named(pieces.writeNameLookup),
    answer: named(pieces.writeAnswer),
    defaulted: named(pieces.writeDefaulted),
    refusal: named(pieces.writeRefusal),
  };
}
