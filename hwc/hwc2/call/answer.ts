import { peek32, poke32 } from "../../../ffi/machine.ts";
import type { NativeFunction } from "../../../ffi/stubs.ts";
import { fittedNumber } from "../../arguments.ts";
import type { Composer } from "../../composer.ts";
import { HwcError } from "../../hwc_error.ts";
import { Refusal } from "../../core/refusal.ts";
import { ERROR } from "../../types.ts";
import { type Abi, abiOf } from "./abi.ts";
import { Call } from "./call.ts";
import type { Hwc2Function, MethodName } from "./functions.ts";
import { pointer } from "../values/inputs.ts";
import type { Native } from "../values/numbers.ts";
import type { Field, Result, Values } from "../values/result.ts";

/** A method of a composer, by name. */
export type Method = (...args: unknown[]) => unknown;

/** Returns the error code of a failed method. Throws an error that is not a refusal. */
export function codeOf(error: unknown): number {
  if (error instanceof HwcError || error instanceof Refusal) return error.code;
  throw error;
}

/** Runs what answers a native call, and finishes the call with it; the `hwc2_error_t`. */
export function answered(run: (call: Call) => number): number {
  const call = new Call();
  let succeeded = false;
  try {
    const code = run(call);
    succeeded = true;
    return code;
  } catch (error) {
    return codeOf(error);
  } finally {
    call.finish(succeeded);
  }
}

/** A function of hwcomposer2.h as TypeScript answers it, with a composer's method. */
export function answering(called: Hwc2Function, name: MethodName, composer: Composer): NativeFunction {
  const abi = abiOf(called), method = (composer[name] as Method).bind(composer);
  if (called.returns === "w") return () => fittedNumber("u32", method(), name);
  const answer = (...natives: Native[]) => answered((call) => respond(called, abi, natives, call, method));
  return called.returns === "v" ? (...natives) => void answer(...natives) : answer;
}

function respond({ inputs, result }: Hwc2Function, abi: Abi, natives: Native[], call: Call, method: Method): number {
  const { inputsAt } = abi, outputs = new Outputs(result, natives.slice(abi.outputsAt) as bigint[]);
  outputs.clear();
  const given = inputs.map((input, index) => {
    return input.read(natives.slice(inputsAt[index], inputsAt[index] + input.letters.length), call);
  });
  const returned = method(...given, ...outputs.inOut());
  outputs.write(result.unpack(returned));
  return resultCode(returned);
}

/** The result of validateDisplay says more than success. */
function resultCode(returned: unknown): number {
  const { result = ERROR.NONE } = (returned ?? {}) as { result?: number };
  return result;
}

/** The pointers that a caller wants its outputs at. */
class Outputs {
  readonly #result: Result;
  readonly #before: readonly bigint[];
  readonly #count: bigint;
  readonly #lists: readonly bigint[];
  readonly #after: readonly bigint[];

  constructor(result: Result, pointers: readonly bigint[]) {
    const { before, rows } = result, start = before.length, end = start + (rows.length > 0 ? 1 + rows.length : 0);
    this.#result = result;
    this.#before = pointers.slice(0, start);
    this.#count = rows.length > 0 ? pointers[start] : 0n;
    this.#lists = pointers.slice(start + 1, end);
    this.#after = pointers.slice(end);
  }

  /** Before anything can fail. */
  clear(): void {
    this.#result.before.forEach(({ output }, index) => output.clear?.(pointer(this.#before[index])));
  }

  /** Returns the caller's values in parameters that are input and output. Refuses an output without a place. */
  inOut(): unknown[] {
    for (const at of this.#before) pointer(at);
    if (this.#result.rows.length > 0) pointer(this.#count);
    return this.#result.before.flatMap(({ output, isInOut }, index) =>
      isInOut ? [output.read(this.#before[index])] : []
    );
  }

  write({ before, rows, after }: Values): void {
    store(this.#result.before, this.#before, before);
    if (this.#result.rows.length > 0) this.#writeRows(rows);
    store(this.#result.after, this.#after, after);
  }

  /** Writes as many rows as the caller has room for; without room, only their number. */
  #writeRows(rows: Values["rows"]): void {
    const { rows: fields } = this.#result, asks = this.#lists.includes(0n);
    const room = asks ? 0 : Math.min(peek32(this.#count), rows.length);
    rows.slice(0, room).forEach((row, index) => {
      const places = fields.map(({ output }, field) => this.#lists[field] + BigInt(output.size * index));
      store(fields, places, row);
    });
    for (const row of rows.slice(room)) fields.forEach(({ output }, field) => output.discard?.(row[field]));
    poke32(this.#count, asks ? rows.length : room);
  }
}

function store(fields: readonly Field[], places: readonly bigint[], values: readonly unknown[]): void {
  fields.forEach(({ output }, index) => {
    if (places[index] !== 0n) output.write(places[index], values[index]);
  });
}
