import * as runtime from "../runtime.ts";
import { arena } from "../../../ffi/arena.ts";
import { rethrowFault } from "../../../ffi/fault.ts";
import { generated, ownMark } from "../../../ffi/generated_code.ts";
import { codec } from "../../codec/codec.ts";
import { evaluateLength } from "../../codec/layout/length.ts";
import { IS_CLOSED } from "../../codec/values/convert.ts";
import { refuseObject } from "../runtime.ts";
import { demandOf } from "../demands.ts";
import { methodSource } from "./method_source.ts";
import type { Plan } from "../plan.ts";
import type { Command } from "../registry/table.ts";
import type { NativeCall, RawTarget, Target } from "../target.ts";
import { kindOf } from "../../codec/layout/tables.ts";
import type { Spec } from "../../codec/layout/spec.ts";

/**
 * Returns the method of a command as generated code. `road` makes its source
 * text differ from that of other methods of the command.
 */
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
    $asked: runtime.toAsked,
    $present: runtime.asked,
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
  for (const { name, variable } of plan.parameters) names[`$demand_${variable}`] = demandOf(plan.command.name, name);
  structs.forEach((name, index) => names[`$codec${index}`] = codec(name));
  return compile(text, names, `${road}/${plan.command.name}`, road === "direct" ? "" : ownMark(plan.command.name));
}

/** The raw form of a command as generated code. */
export function generatedRaw(command: Command, { call, offset }: RawTarget): NativeCall {
  return compile(
    rawSource(command),
    { $call: call, $offset: offset, $rethrow: rethrowFault },
    `raw/${command.name}`,
  );
}

/** Converts arena offsets into the addresses that `raw` takes, where the signature of the arena form says so. */
export function generatedAddressing(command: Command, signature: string, raw: NativeCall): NativeCall {
  const letters = signature.slice(2), names = rawParameters(command);
  const passed = names.map((name, index) =>
    letters[index] === "o" ? `(${name} === 0 ? 0n : $base + BigInt(${name}))` : name
  );
  const text = `(${names.join(", ")}) => $raw(${passed.join(", ")})`;
  return compile(text, { $raw: raw, $base: arena().base }, `addressing/${command.name}`, ownMark(command.name));
}

/** Compiles an expression with the given free names. */
function compile(text: string, names: Record<string, unknown>, title: string, mark = ""): NativeCall {
  return generated(`return ${text};${mark}`, names, title) as NativeCall;
}

/**
 * Returns the parameter names of a command's raw form, as JavaScript
 * identifiers that cannot collide with reserved words.
 */
function rawParameters(command: Command): string[] {
  return command.params.map((spec) => spec.name === "function" ? "function_" : spec.name);
}

/**
 * Returns the raw form of a command: C parameters as numbers and bigints,
 * without encoding or allocating. 32-bit arguments are truncated here, because
 * native stubs throw on out-of-range numbers while cold and wrap while hot.
 */
function rawSource(command: Command): string {
  const names = rawParameters(command);
  const passed = command.params.map((spec, index) => argument(spec, names[index]));
  const result = command.result === "void" ? "" : "const $r = ";
  const returned = command.result === "void" ? "" : " return $r;";
  return `function ${command.name}(${names.join(", ")}) { ` +
    `${result}$call(${passed.join(", ")}, $offset); $rethrow();${returned} }`;
}

function argument(spec: Spec, name: string): string {
  if (spec.stars > 0 || spec.dims.length > 0) return name;
  const kind = kindOf(spec.type);
  if (kind === "u32" || kind === "bool") return `${name} >>> 0`;
  return kind === "i32" ? `${name} | 0` : name;
}
