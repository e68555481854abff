import type { Label } from "../../../ffi/asm/code.ts";
import type { Variable } from "../../../ffi/emit/routine.ts";
import { beginPart, KERNEL, type Parts } from "./parts.ts";

/** The folder argument of `openat`, which absolute paths ignore. */
const AT_FDCWD = 0xffff_ff9c;
/** Cells of a `struct stat`, on the processor with the larger one; the device and the file's number come first. */
const STAT = { device: 0, number: 1, count: 18 } as const;

/**
 * u64 identity(file): a number that tells the open file apart from others; 0 for a descriptor that is not open. A
 * program may close descriptors that it does not know, and open files of its own, which get the same descriptors.
 */
export function writeIdentity(parts: Parts): void {
  const { code } = parts, value = 0, other = 1, closed = code.label();
  beginPart(parts, "identity", STAT.count);
  code.argument(value, 0);
  code.pass(0, value);
  code.passCell(1, 0);
  code.systemCall(KERNEL.fstat);
  code.result(value);
  code.ifNotZero(value, closed);
  code.loadCell(value, STAT.device);
  code.loadCell(other, STAT.number);
  code.addVariable(value, other);
  code.finish({ variable: value });
  code.place(closed);
  code.finish(0);
}

/** A descriptor, and 1, in memory, and the identity that the file had. */
export interface KeptFile {
  readonly base: Variable;
  readonly file: number;
  readonly identity: number;
}

/** `file = ` a descriptor of the file at a path. Goes to a label without one. `value` is overwritten. */
export function writeOpen(
  { code, constants }: Parts,
  { path, flags }: { readonly path: string; readonly flags: number },
  [file, value]: readonly [Variable, Variable],
  failed: Label,
): void {
  code.passNumber(0, AT_FDCWD);
  code.labelAddress(value, constants.text(path));
  code.pass(1, value);
  code.passNumber(2, flags);
  code.passNumber(3, 0);
  code.systemCall(KERNEL.openat);
  code.result(file);
  code.ifNegative32(file, failed);
}

/** Keeps an open descriptor in memory. The variable behind it is overwritten. */
export function writeKeep(
  { code, functions }: Parts,
  { base, file, identity }: KeptFile,
  [descriptor, value]: readonly [Variable, Variable],
): void {
  code.copy(value, descriptor);
  code.add(value, 1);
  code.store(base, file, value);
  code.pass(0, descriptor);
  code.call(functions.identity);
  code.wideResult(value);
  code.store(base, identity, value);
}

/** Closes a kept descriptor, unless the descriptor is another file's by now. Two variables are overwritten. */
export function writeCloseOwn(parts: Parts, kept: KeptFile, [value, other]: readonly [Variable, Variable]): void {
  const { code } = parts, notOwn = code.label();
  writeIsOwn(parts, kept, [value, other], notOwn);
  code.load(value, kept.base, kept.file);
  code.decrement(value);
  code.pass(0, value);
  code.systemCall(KERNEL.close);
  code.place(notOwn);
}

/** Goes to a label if a descriptor is not that of the library's own file any more. Two variables are overwritten. */
export function writeIsOwn(
  { code, functions }: Parts,
  { base, file, identity }: KeptFile,
  [value, other]: readonly [Variable, Variable],
  notOwn: Label,
): void {
  code.load(value, base, file);
  code.decrement(value);
  code.pass(0, value);
  code.call(functions.identity);
  code.wideResult(value);
  code.load(other, base, identity);
  code.ifNotEqual(value, other, notOwn);
}
