import { RECORD } from "../emit/layout.ts";
import type { Signature } from "../signature.ts";
import { GETTERS, places } from "./body.ts";

/** Reads the arguments of a call out of a ring's slot. */
export interface CallReader {
  /** The arguments of the record at a byte offset. */
  (view: DataView, at: number): (number | bigint)[];
  /** How many of them were on the stack. */
  readonly stackCount: number;
}

/** A reader for calls of a signature. Throws a `TypeError` when a record has no room for its arguments. */
export function callReader(signature: Signature): CallReader {
  const parts = places(signature).map(({ letter, at, onStack }) => ({
    get: GETTERS[letter] as "getUint32",
    offset: at + (onStack ? RECORD.stack : RECORD.registers),
    onStack,
  }));
  const stackCount = parts.filter(({ onStack }) => onStack).length;
  if (stackCount > RECORD.stackMax) {
    throw new TypeError(
      `Cannot record calls of signature "${signature.text}": ${stackCount} arguments are on the stack; ` +
        `have at most ${RECORD.stackMax} there`,
    );
  }
  const read = (view: DataView, at: number) => parts.map(({ get, offset }) => view[get](at + offset, true));
  return Object.assign(read, { stackCount });
}
