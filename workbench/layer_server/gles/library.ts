import type { Label } from "../../../ffi/asm/code.ts";
import { CAPTURED } from "../../../ffi/emit/layout.ts";
import { RECORD } from "../layout.ts";
import { assembleLibrary, type LibrarySpec } from "../library/assemble.ts";
import { writeConversation } from "../library/call.ts";
import { writeConnection } from "../library/connect.ts";
import { writeFindNames } from "../library/find.ts";
import { writeHandOver, writeIsSubscribed } from "../library/hand_over.ts";
import { addScaled, beginPart, type Parts, PRIVATE_SIZE } from "../library/parts.ts";
import { signatureOf } from "../../../egl/command/spec.ts";
import { allCommands, commandNamed } from "../../../egl/layers/commands.ts";
import { type InFront, ownRecord, writeBelow, writeOwnGetProcAddress } from "./in_front.ts";
import { GLES_LIBRARY_FILE } from "./in_place.ts";

/**
 * Writes the library: a native GLES layer that passes on everything that nobody
 * subscribed to. With the path of the system's libEGL, programs can also load
 * the library in the place of libEGL and the GLES libraries.
 */
export function writeGlesLibrary(spec: LibrarySpec, libEgl?: string): Promise<Uint8Array<ArrayBuffer>> {
  const names = allCommands();
  return assembleLibrary(spec, {
    file: GLES_LIBRARY_FILE,
    names,
    // behind the data that all libraries have: one record, with the functions below
    dataSize: PRIVATE_SIZE + RECORD.next + 8 * names.length,
    stays: true,
    isExported: (name) => libEgl !== undefined && name !== "eglGetProcAddress",
    signatureOf: (name) => signatureOf(commandNamed(name)!),
    write: (parts) => write(parts, libEgl),
  });
}

function write(parts: Parts, libEgl: string | undefined): void {
  for (const each of [writeFindNames, writeConnection, writeConversation]) each(parts);
  const inFront = libEgl === undefined ? undefined : writeBelow(parts, libEgl);
  writeCapture(parts, inFront);
  writeInitialize(parts);
  const getProcAddress = writeGetProcAddress(parts);
  if (inFront) writeOwnGetProcAddress(parts, inFront, getProcAddress);
}

/** u32 capture(frame, number, stackCount), as `CaptureSpec` says. */
function writeCapture(parts: Parts, inFront: InFront | undefined): void {
  const { code } = parts, frame = 0, number = 1, stack = 2, record = 3, value = 4, pass = code.label();
  beginPart(parts, "capture", 2);
  code.argument(frame, 0);
  code.argument(number, 1);
  code.argument(stack, 2);
  code.storeCell(0, number);
  ownRecord(parts, record);
  code.storeCell(1, record);
  addScaled(code, record, number, 3);
  code.load(value, record, RECORD.next);
  if (inFront) writeFindBelow(parts, inFront, value);
  code.store(frame, CAPTURED.next, value);
  code.loadCell(number, 0);
  writeHandOver(parts, pass, () => {});
  code.place(pass);
  code.finish(0);
}

/** Finds the function below at the first call. A command that nobody has does nothing and returns 0. */
function writeFindBelow({ code }: Parts, { below }: InFront, value: 4): void {
  const frame = 0, known = code.label();
  code.ifNotZero(value, known);
  code.loadCell(value, 0);
  code.pass(0, value);
  code.call(below);
  code.wideResult(value);
  code.ifNotZero(value, known);
  code.store(frame, CAPTURED.result, value);
  code.store(frame, CAPTURED.floatResult, value);
  code.finish(1);
  code.place(known);
}

/** void AndroidGLESLayer_Initialize(layer_id, get_next_layer_proc_address) */
function writeInitialize({ code, functions }: Parts): void {
  code.begin("AndroidGLESLayer_Initialize");
  code.call(functions.connect);
  code.finish(0);
}

/**
 * void *AndroidGLESLayer_GetProcAddress(name, next): `next` itself for commands
 * that nobody subscribed to, so that those cost nothing. The record keeps every
 * `next`, since hooks can call all commands below.
 */
function writeGetProcAddress(parts: Parts): Label {
  const { code, functions } = parts, asked = 0, next = 1, number = 2, record = 3, value = 4, below = code.label();
  const own = code.begin("AndroidGLESLayer_GetProcAddress");
  code.argument(asked, 0);
  code.argument(next, 1);
  code.ifZero(next, below);
  code.pass(0, asked);
  code.call(functions.findName);
  code.result(number);
  code.ifZero(number, below);
  code.decrement(number);
  ownRecord(parts, record);
  code.copy(value, number);
  addScaled(code, record, value, 3);
  code.store(record, RECORD.next, next);
  if (parts.place) {
    writeIsSubscribed(parts, number, value, below);
    code.labelAddress(value, functions.captures);
    addScaled(code, value, number, 4);
    code.finish({ variable: value });
  }
  code.place(below);
  code.finish({ variable: next });
  return own;
}
