import { RECORD } from "../layout.ts";
import { addScaled, HIDDEN, ownData, type Parts, PRIVATE_SIZE } from "../library/parts.ts";
import type { Label } from "../../../ffi/asm/code.ts";
import type { Routine, Variable } from "../../../ffi/emit/routine.ts";

const RTLD_NOW = 2, GET_PROC_ADDRESS = "eglGetProcAddress";

/** The functions of a library that stands in the place of libEGL and the GLES libraries. */
export interface InFront {
  /** u64 below(number): the function of the libraries below with a command's number; 0 if they have none. */
  readonly below: Label;
}

/** `to = ` the address of the record of all functions below. */
export function ownRecord(parts: Parts, to: Variable): void {
  ownData(parts, to);
  parts.code.add(to, PRIVATE_SIZE);
}

/**
 * Writes how the functions below are found: by dlsym in the system's libEGL,
 * which is opened at the first call, or by its eglGetProcAddress. The program
 * is connected before, since the first call asks who subscribed.
 */
export function writeBelow(parts: Parts, libEgl: string): InFront {
  const { code, written, functions, constants } = parts, number = 0, record = 1, name = 2, value = 3, other = 4;
  const open = written.import("dlopen"), find = written.import("dlsym"), library = written.reserve();
  written.alignEntry();
  const below = code.begin(`${HIDDEN}below`, 2);
  const known = code.label(), opened = code.label(), none = code.label();
  code.argument(number, 0);
  ownRecord(parts, record);
  code.copy(value, number);
  addScaled(code, record, value, 3);
  code.load(value, record, RECORD.next);
  code.ifNotZero(value, known);
  code.labelAddress(name, parts.namePlaces);
  addScaled(code, name, number, 2);
  code.load32(number, name);
  code.labelAddress(name, parts.nameTable);
  code.addVariable(name, number);

  code.loadSlot(value, library);
  code.ifNotZero(value, opened);
  code.call(functions.connect);
  code.loadSlot(value, open);
  code.ifZero(value, none);
  code.labelAddress(value, constants.text(libEgl));
  code.pass(0, value);
  code.passNumber(1, RTLD_NOW);
  code.slotAddress(value, open);
  code.callAt(value, 0);
  code.wideResult(value);
  code.ifZero(value, none);
  code.slotAddress(other, library);
  code.publish(other, value);
  code.set(number, parts.names.length); // hooks can call all commands below
  const each = code.here();
  code.decrement(number);
  code.pass(0, number);
  code.call(below);
  code.ifNotZero(number, each);
  code.loadSlot(value, library);

  code.place(opened);
  writeFind(name);
  code.ifNotZero(value, known);
  code.loadSlot(value, library);
  code.labelAddress(other, constants.text(GET_PROC_ADDRESS));
  writeFind(other);
  code.ifZero(value, none);
  ask(code, value, name);
  code.ifZero(value, none);
  code.place(known);
  code.store(record, RECORD.next, value);
  code.finish({ variable: value });
  code.place(none);
  code.finish(0);
  return { below };

  /** `value = ` the function of the library in `value` with this name. */
  function writeFind(text: Variable): void {
    code.pass(0, value);
    code.pass(1, text);
    code.slotAddress(value, find);
    code.callAt(value, 0);
    code.wideResult(value);
  }
}

/** Writes the library's own eglGetProcAddress: what a GLES layer answers, and itself. */
export function writeOwnGetProcAddress(parts: Parts, { below }: InFront, getProcAddress: Label): void {
  const { code, functions, names } = parts,
    asked = 0,
    value = 1,
    number = 2,
    other = 3,
    index = names.indexOf(GET_PROC_ADDRESS);
  const own = code.begin(GET_PROC_ADDRESS, 2), none = code.label(), another = code.label();
  code.argument(asked, 0);
  code.pass(0, asked);
  code.call(functions.findName);
  code.result(number);
  code.set(other, index + 1);
  code.ifNotEqual(number, other, another);
  code.labelAddress(value, own);
  code.finish({ variable: value });
  code.place(another);
  code.passNumber(0, index);
  code.call(below);
  code.wideResult(value);
  code.ifZero(value, none);
  ask(code, value, asked);
  code.pass(0, asked);
  code.pass(1, value);
  code.call(getProcAddress);
  code.wideResult(value);
  code.finish({ variable: value });
  code.place(none);
  code.finish(0);
}

/** `at = ` what the function at the address in `at` answers to one argument. */
function ask(code: Routine, at: Variable, argument: Variable): void {
  code.storeCell(0, at);
  code.pass(0, argument);
  code.cellAddress(at, 0);
  code.callAt(at, 0);
  code.wideResult(at);
}
