import { A64, X16 } from "../../asm/a64.ts";
import type { Emitter, FarewellSpec, HelperSlots, ProcAddrSpec, StampSpec, ThunkSlots } from "../emitter.ts";
import { writeHelpers } from "./helpers.ts";
import { writeLookups } from "./lookup.ts";
import { writeProcAddr } from "./proc_addr.ts";
import { writeFarewell, writeStamp } from "./stamp.ts";
import { writeStub } from "./stub.ts";
import { writeThunks } from "./thunk.ts";

/** Writes the emitted image's pieces for AArch64, as Linux and Android call functions. */
export class A64Emitter implements Emitter {
  /** The code written so far. */
  readonly code: A64 = new A64();

  /** See {@linkcode Emitter.stub}. */
  stub(name: string, shape: string, byTable: boolean, arenaBase: number): void {
    this.code.begin(name);
    writeStub(this.code, shape, byTable, arenaBase);
  }

  /** See {@linkcode Emitter.helpers}. */
  helpers(slots: HelperSlots): void {
    writeHelpers(this.code, slots);
  }

  /** See {@linkcode Emitter.thunks}. */
  thunks(slots: ThunkSlots): void {
    writeThunks(this.code, slots);
  }

  /** See {@linkcode Emitter.lookups}. */
  lookups(count: number, records: number): void {
    writeLookups(this.code, count, records);
  }

  /** See {@linkcode Emitter.stamp}. */
  stamp(spec: StampSpec): void {
    this.code.begin(spec.name);
    writeStamp(this.code, spec);
  }

  /** See {@linkcode Emitter.farewell}. */
  farewell(spec: FarewellSpec): void {
    this.code.begin(spec.name);
    writeFarewell(this.code, spec);
  }

  /** See {@linkcode Emitter.procAddr}. */
  procAddr(spec: ProcAddrSpec): void {
    writeProcAddr(this.code, spec);
  }

  /** See {@linkcode Emitter.trampoline}. */
  trampoline(name: string, tableOffset: number): void {
    this.code.begin(name);
    this.code.load(X16, 0);
    this.code.loadFar(X16, X16, tableOffset);
    this.code.jumpRegister(X16);
  }

  /** See {@linkcode Emitter.nullableTrampoline}. */
  nullableTrampoline(name: string, tableOffset: number): void {
    const nothing = this.code.label();
    this.code.begin(name);
    this.code.jumpIfZero(0, nothing);
    this.code.load(X16, 0);
    this.code.loadFar(X16, X16, tableOffset);
    this.code.jumpRegister(X16);
    this.code.place(nothing);
    this.code.ret(); // x0 is 0
  }

  /** See {@linkcode Emitter.nothing}. */
  nothing(name: string): void {
    this.code.begin(name);
    this.code.movImmediate32(0, 0);
    this.code.ret();
  }

  /** See {@linkcode Emitter.slotJump}. */
  slotJump(name: string, slot: number): void {
    this.code.begin(name);
    this.code.jumpSlot(slot);
  }
}
