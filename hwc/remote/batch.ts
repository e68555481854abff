import type { NativeFence } from "../../wsi/fence/native_fence.ts";
import { Refusal } from "../core/refusal.ts";
import { BOOL, type Codec, COUNT, list } from "./wire/codec.ts";
import { type CommandName, NUMBERED } from "./commands.ts";
import type { Reader } from "./wire/reader.ts";
import { LENT_FENCE } from "./wire/records.ts";
import { BadMessage } from "./wire/wire.ts";

/** The command number of `registerCallback`. */
export const REGISTER = 0;

/** The slots that a batch clears. */
export const SLOTS: Codec<readonly number[]> = list(COUNT);

/** A command that came. */
export interface Call {
  /** The method's name. */
  readonly name: CommandName | "registerCallback";
  /** The arguments. */
  readonly args: readonly unknown[];
  /** The codec of the result. */
  readonly result: Codec<unknown> | undefined;
  /** Whether the client waits for the answer, so that earlier failures must be known first. */
  readonly isAsked: boolean;
  /** Fences that the composer takes if it does not fail. */
  readonly taken: readonly NativeFence[];
  /** Fences that are closed when it is over. */
  readonly lent: readonly NativeFence[];
  /** The reason why the command cannot even be called. */
  readonly refusal: Refusal | undefined;
}

/** Commands that came together. */
export interface Batch {
  /** The batch's number. */
  readonly sequence: number;
  /** Whether the question is asked even if something before it failed. */
  readonly goesOn: boolean;
  /** The calls in their order. */
  readonly calls: readonly Call[];
  /** Slots to be cleared behind them. */
  readonly cleared: readonly number[];
}

/** Reads a batch; all of it must be in order before any of it is done. Throws {@linkcode BadMessage}. */
export function readBatch(from: Reader): Batch {
  const calls: Call[] = [];
  try {
    const sequence = from.u32(), goesOn = BOOL.read(from), cleared = SLOTS.read(from), count = from.count(8);
    for (let index = 0; index < count; index++) calls.push(readCall(from));
    from.end();
    return { sequence, goesOn, calls, cleared };
  } catch (error) {
    calls.forEach(dropCall);
    throw error;
  }
}

function readCall(from: Reader): Call {
  const number = from.u32();
  if (number === REGISTER) return readRegistration(from);
  const [name, { args: codecs, result, pace }] = NUMBERED[number - 1] ?? unknown(number);
  const isLent = codecs.includes(LENT_FENCE), common = { name, result, isAsked: pace === "asked" };
  const read = readArguments(from, codecs), fences = from.takeFences();
  return { ...common, ...read, taken: isLent ? [] : fences, lent: isLent ? fences : [] };
}

/** A buffer that cannot be used is the command's failure, not the message's. */
function readArguments(from: Reader, codecs: readonly Codec<unknown>[]): Pick<Call, "args" | "refusal"> {
  let refusal: Refusal | undefined;
  const args = from.sized(() => {
    try {
      return codecs.map((codec) => codec.read(from));
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      refusal = error;
      from.skip();
      return [];
    }
  });
  return { args, refusal };
}

function readRegistration(from: Reader): Call {
  const args = from.sized(() => [from.i32(), BOOL.read(from)]);
  return { name: "registerCallback", args, result: undefined, isAsked: true, taken: [], lent: [], refusal: undefined };
}

function unknown(number: number): never {
  throw new BadMessage(`it has the unknown command ${number}`);
}

/** Closes what a call brought that will not be called. */
export function dropCall({ taken, lent }: Call): void {
  for (const fence of [...taken, ...lent]) fence.close();
}
