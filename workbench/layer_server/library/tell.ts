import type { Variable } from "../../../ffi/emit/routine.ts";
import { KERNEL, LINK, ownData, type Parts, PRIVATE, setNumber } from "./parts.ts";

/** The text that a program gets once. */
export const GONE = "pumice: the process with the layers does not answer; the program goes on without them\n";
/** The line for a program that does not find the file of the channel. */
export const HIDDEN =
  "pumice: the process with the layers is not in this program's /proc: it has ended, or this program is in a " +
  "container or sandbox; the program goes on without layers\n";
/** The line for a program that may not open this file. */
export const CLOSED =
  "pumice: this program may not open the memory of the process with the layers: another user's program may not, " +
  "nor one in a sandbox; the program goes on without layers\n";
/** The line for a program that has no room where the memory is to be. */
export const OCCUPIED =
  "pumice: this program uses the addresses at which it would share memory with the layers; it goes on without them\n";
/** The line for a program that the server has refused. */
export const REFUSED =
  "pumice: the process with the layers cannot serve this program, and says why; the program goes on without them\n";
const STANDARD_ERROR = 2;
/** A `pollfd` that asks whether standard error takes text, and the place of the answer. */
const POLLOUT = 4n, POLL_ERROR = BigInt(STANDARD_ERROR) | POLLOUT << 32n;

/**
 * Tells the program once that it goes on without layers, unless writing would
 * block, or would end the program because nobody reads. `data`, which is kept,
 * and two others are the variables.
 */
export function writeTell(parts: Parts, text: string, [data, value, other]: readonly Variable[]): void {
  const { code, constants } = parts, told = code.label();
  code.copy(other, data);
  code.add(other, PRIVATE.said);
  code.set(value, 0);
  code.copy(data, other); // any address but NULL says that it was said
  code.exchange(other, value, data, told);
  ownData(parts, data);
  setNumber(parts, value, POLL_ERROR);
  code.store(data, PRIVATE.poll, value);
  code.copy(other, data);
  code.add(other, PRIVATE.poll);
  code.pass(0, other);
  code.passNumber(1, 1);
  code.add(other, PRIVATE.noTime - PRIVATE.poll);
  code.pass(2, other);
  code.passNumber(3, 0);
  code.passNumber(4, 0);
  code.systemCall(KERNEL.ppoll);
  code.load(value, data, PRIVATE.poll);
  setNumber(parts, other, POLL_ERROR | POLLOUT << 48n);
  code.ifNotEqual(value, other, told);
  code.passNumber(0, STANDARD_ERROR);
  code.labelAddress(value, constants.text(text));
  code.pass(1, value);
  code.passNumber(2, text.length);
  code.systemCall(KERNEL.write);
  code.place(told);
  ownData(parts, data);
}

/**
 * Ends a conversation with a server that does not answer: the program goes on
 * without layers, which is said. The result is what the cell holds: whether the
 * function below has been called.
 */
export function writeGoOn(parts: Parts, isDoneCell: number, [data, value, other]: readonly Variable[]): void {
  const { code } = parts, isDone = code.label();
  ownData(parts, data);
  code.set(value, LINK.given_up);
  code.publish(data, value);
  writeTell(parts, GONE, [data, value, other]);
  code.loadCell(value, isDoneCell);
  code.ifNotZero(value, isDone);
  code.finish(0);
  code.place(isDone);
  code.finish(1);
}
