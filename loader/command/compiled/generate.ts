import { arena } from "../../../ffi/arena.ts";
import { rethrowFault } from "../../../ffi/fault.ts";
import { codec } from "../../codec/codec.ts";
import { evaluateLength } from "../../codec/layout/length.ts";
import { IS_CLOSED, refuseObject } from "../closed.ts";
import { methodSource } from "./method_source.ts";
import type { Plan } from "../plan.ts";
import { rawParameters, rawSource } from "./raw_source.ts";
import * as runtime from "../runtime.ts";
import type { Command } from "../table.ts";
import type { NativeCall, RawTarget, Target } from "../target.ts";

/** The method of a command as generated code; `road` tells its source text from that of other methods of the command. */
export function generatedMethod(plan: Plan, { call, offset, fail }: Target, road: string): NativeCall {
  const { text, structs } = methodSource(plan);
  const memory = arena();
  const names: Record<string, unknown> = {
    $call: call,
    $offset: offset,
    $arena: memory,
    $m: memory.view,
    $rethrow: rethrowFault,
    $closed: IS_CLOSED,
    $refuse: refuseObject,
    $scalar: runtime.toScalar,
    $noHole: runtime.noHole,
    $atLeast: runtime.atLeast,
    $fitting: runtime.fitting,
    $evaluate: (text: string, names: Record<string, number>) =>
      evaluateLength(text, (name) => Number(names[name] ?? 0)),
    $handle: runtime.toHandle,
    $object: runtime.toObject,
    $text: runtime.placeText,
    $data: runtime.placeData,
    $length: runtime.lengthOf,
    $byteLength: runtime.byteLengthOf,
    $sameLength: runtime.sameLength,
    $exactly: runtime.exactly,
    $missing: runtime.missing,
    $fail: fail,
    $given: runtime.givenOutput,
    $list: runtime.list,
    $bytes: runtime.copyBytes,
  };
  structs.forEach((name, index) => names[`$codec${index}`] = codec(name));
  return compile(text, names, `${road}/${plan.command.name}`);
}

/** The raw form of a command as generated code. */
export function generatedRaw(command: Command, { call, offset }: RawTarget): NativeCall {
  return compile(
    rawSource(command),
    { $call: call, $offset: offset, $rethrow: rethrowFault },
    `raw/${command.name}`,
  );
}

/** Turns arena offsets into the addresses that `raw` takes, where the arena form's signature says so. */
export function generatedAddressing(command: Command, signature: string, raw: NativeCall): NativeCall {
  const letters = signature.slice(2), names = rawParameters(command);
  const passed = names.map((name, index) =>
    letters[index] === "o" ? `(${name} === 0 ? 0n : $base + BigInt(${name}))` : name
  );
  const text = `(${names.join(", ")}) => $raw(${passed.join(", ")})`;
  return compile(text, { $raw: raw, $base: arena().base }, `addressing/${command.name}`);
}

/** Compiles an expression with the given free names; the source URL makes it findable in stack traces. */
function compile(text: string, names: Record<string, unknown>, url: string): NativeCall {
  const make = new Function(...Object.keys(names), `return ${text};\n//# sourceURL=pumice/${url}`);
  return make(...Object.values(names));
}
