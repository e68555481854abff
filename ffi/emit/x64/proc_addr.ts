import { R10, RAX, RCX, RDX, type X64 } from "../../asm/x64.ts";
import type { ProcAddrSpec } from "../emitter.ts";
import { writeProcAddrFunctions } from "../proc_addr.ts";
import { writeFirstLook, writeLook, writeReport } from "./check.ts";
import { REGISTERS, writeFind } from "./lookup.ts";

/** Writes both GetProcAddr functions; see {@linkcode writeProcAddrFunctions}. */
export function writeProcAddr(code: X64, spec: ProcAddrSpec): void {
  writeProcAddrFunctions(code, {
    registers: { ...REGISTERS, record: RDX, offset: RCX, value: RCX, place: RCX, before: RDX, text: R10 },
    find: writeFind,
    firstLook: writeFirstLook,
    look: writeLook,
    report(code, slots) {
      code.push(RAX); // aligns the stack
      writeReport(code, slots);
    },
  }, spec);
}
