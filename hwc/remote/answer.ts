import { NativeFence } from "../../wsi/fence/native_fence.ts";
import { HwcError } from "../hwc_error.ts";
import { Refusal } from "../core/refusal.ts";
import { ERROR } from "../types.ts";
import { type Codec, INT, list, TEXT } from "./wire/codec.ts";
import type { Reader } from "./wire/reader.ts";
import { BadMessage } from "./wire/wire.ts";
import type { Writer } from "./wire/writer.ts";

/** The outcome of a command with a result. */
export interface Outcome {
  /** The command's place in the batch. */
  readonly index: number;
  /** NONE, or why it failed. */
  readonly error: number;
  /** For a failure, what was found and what to do. */
  readonly sentence: string;
  /** For a success, the result; valid while the message exists. */
  readonly value: unknown;
}

/** Puts what a command returned into an answer. */
export function writeValue(to: Writer, index: number, codec: Codec<unknown>, value: unknown): void {
  to.u32(index);
  to.i32(ERROR.NONE);
  to.sized(() => codec.write(to, value));
}

/** Puts why a command failed into an answer. */
export function writeFailure(to: Writer, index: number, thrown: unknown): void {
  const [error, sentence] = failureOf(thrown);
  to.u32(index);
  to.i32(error);
  TEXT.write(to, sentence);
}

function failureOf(thrown: unknown): [number, string] {
  if (thrown instanceof HwcError) return [thrown.code, thrown.sentence];
  if (thrown instanceof Refusal) return [thrown.code, thrown.message];
  return [ERROR.NO_RESOURCES, `the composer failed: ${thrown}`];
}

/** Reads what became of commands, in their order; `resultOf` knows what each returns. Throws {@linkcode BadMessage}. */
export function readOutcomes(from: Reader, resultOf: (index: number) => Codec<unknown> | undefined): Outcome[] {
  const outcomes: Outcome[] = [];
  for (let left = from.count(8), last = -1; left > 0; left--) {
    const index = from.u32(), result = resultOf(index);
    if (index <= last) throw new BadMessage(`it answers command ${index} behind command ${last}`);
    outcomes.push(readOutcome(from, last = index, result));
  }
  from.end();
  return outcomes;
}

function readOutcome(from: Reader, index: number, result: Codec<unknown> | undefined): Outcome {
  const error = from.i32();
  if (error !== ERROR.NONE) return { index, error, sentence: TEXT.read(from), value: undefined };
  return { index, error, sentence: "", value: from.sized(() => result?.read(from)) };
}

/** Closes the fences in what a command returned. */
export function closeFences(value: unknown): void {
  if (value instanceof NativeFence) value.close();
  else if (Array.isArray(value)) { for (const element of value) element?.fence?.close(); }
}

/** The functions that a composer has, by their descriptors. */
export const DESCRIPTORS: Codec<readonly number[]> = list(INT);
