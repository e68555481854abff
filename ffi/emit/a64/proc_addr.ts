import type { A64 } from "../../asm/a64.ts";
import type { ProcAddrSpec } from "../emitter.ts";
import { writeProcAddrFunctions } from "../proc_addr.ts";
import { writeFirstLook, writeLook, writeReport } from "./check.ts";
import { REGISTERS, writeFind } from "./lookup.ts";

/** Writes both GetProcAddr functions; see {@linkcode writeProcAddrFunctions}. */
export function writeProcAddr(code: A64, spec: ProcAddrSpec): void {
  writeProcAddrFunctions(code, {
    registers: { ...REGISTERS, record: 14, offset: 15, value: 9, place: 11, before: 12, text: 11 },
    find: writeFind,
    firstLook: writeFirstLook,
    look: writeLook,
    report: writeReport,
  }, spec);
}
