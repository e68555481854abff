import * as runtime from "../runtime.ts";
import { arena } from "../../../ffi/arena.ts";
import { rethrowFault } from "../../../ffi/error.ts";
import { generated, generatedMaker, inTurn } from "../../../ffi/generated_code.ts";
import { codec } from "../../codec/codec.ts";
import { evaluateLength } from "../../codec/layout/form.ts";
import { kindOf } from "../../codec/layout/layout.ts";
import type { Spec } from "../../codec/layout/spec.ts";
import { IS_CLOSED } from "../../../ffi/scalar.ts";
import { demandOf } from "../demands.ts";
import { callerParameters, isFilled, type Parameter, type Plan, resultKey } from "../plan.ts";
import type { Command } from "../registry/table.ts";
import { refuseObject } from "../runtime.ts";
import type { NativeCall, RawTarget, Target } from "../target.ts";
import { type ArgumentSource, inputSource, type OutputSource, outputSource, type UseCodec } from "./input_source.ts";

/** Makes methods of one text, each with its own target. */
type MethodMaker = (call: Target["call"], offset: number, fail: Target["fail"]) => NativeCall;

/** Returns the method of a command that calls directly through its dispatch table, as generated code. */
export function generatedMethod(plan: Plan, { call, offset, fail }: Target): NativeCall {
  return methodMaker(plan, "direct", "")(call, offset, fail);
}

/**
 * Returns the method of a command that calls `raw` instead, as generated code.
 * Its source text differs from that of the direct method. `marks`: see
 * {@linkcode inTurn}.
 */
export function generatedRouted(plan: Plan, raw: NativeCall, fail: Target["fail"], marks?: number): NativeCall {
  const { name } = plan.command, make = inTurn(`routed/${name}`, (mark) => methodMaker(plan, "routed", mark), marks);
  return make(generatedAddressing(plan, raw, marks), 0, fail);
}

function methodMaker(plan: Plan, kind: string, mark: string): MethodMaker {
  const { text, structs } = methodSource(plan);
  const memory = arena();
  const names: Record<string, unknown> = {
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
    $again: runtime.countsAgain,
    $counted: runtime.counted,
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
    $given: runtime.givenOutput,
    $list: runtime.list,
    $bytes: runtime.copyBytes,
  };
  for (const { name, variable } of plan.parameters) names[`$demand_${variable}`] = demandOf(plan.command.name, name);
  structs.forEach((name, index) => names[`$codec${index}`] = codec(name));
  const free = ["$call", "$offset", "$fail", ...Object.keys(names)], values = Object.values(names);
  const make = generatedMaker(free, `return ${text};${mark}`, `${kind}/${plan.command.name}`);
  return (call, offset, fail) => make(call, offset, fail, ...values) as NativeCall;
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
function generatedAddressing({ command, signature }: Plan, raw: NativeCall, marks?: number): NativeCall {
  const make = inTurn(`addressing/${command.name}`, (mark) => {
    const letters = signature.slice(2), names = rawParameters(command);
    const passed = names.map((name, index) =>
      letters[index] === "o" ? `(${name} === 0 ? 0n : $base + BigInt(${name}))` : name
    );
    const body = `return (${names.join(", ")}) => $raw(${passed.join(", ")});${mark}`;
    return generatedMaker(["$raw", "$base"], body, `addressing/${command.name}`);
  }, marks);
  return make(raw, arena().base) as NativeCall;
}

/** Compiles an expression with the given free names. */
function compile(text: string, names: Record<string, unknown>, title: string): NativeCall {
  return generated(`return ${text};`, names, title) as NativeCall;
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

/** Source of a method, and the structs whose codecs it uses. */
interface MethodSource {
  /** A function expression. Its free names start with `$`; `$call` is the native command. */
  readonly text: string;
  /** Struct names, in the order of the variables `$codec0`, `$codec1`, …. */
  readonly structs: readonly string[];
}

/**
 * Writes the method of a command: places the arguments, makes one native call
 * (two to fill an array), and reads the results.
 */
export function methodSource(plan: Plan): MethodSource {
  const structs: string[] = [];
  const useCodec: UseCodec = (name) => {
    if (!structs.includes(name)) structs.push(name);
    return `$codec${structs.indexOf(name)}`;
  };
  const parts = new Parts(plan, useCodec);
  const body = plan.fill ? fillBody(plan, parts) : plainBody(plan, parts);
  const wrapped = parts.usesArena
    ? `const $top = $arena.mark(); try { ${body} } finally { $arena.release($top); }`
    : body;
  const formals = callerParameters(plan).map((each) => each.variable).join(", ");
  return { text: `function ${plan.command.name}(${formals}) { ${wrapped} }`, structs };
}

/** The per-parameter sources of one command, by the parameter. */
class Parts {
  readonly inputs = new Map<Parameter, ArgumentSource>();
  readonly outputs = new Map<Parameter, OutputSource>();
  readonly usesArena: boolean;

  constructor(plan: Plan, useCodec: UseCodec) {
    for (const each of plan.parameters) {
      if (each.role === "output") this.outputs.set(each, outputSource(plan, each, useCodec));
      else if (each.role !== "fill") this.inputs.set(each, inputSource(plan, each, useCodec));
    }
    const placed = ["struct", "array", "text", "data"];
    this.usesArena = this.outputs.size > 0 || plan.fill !== undefined ||
      plan.parameters.some((each) => placed.includes(each.role));
  }

  before(): string {
    return [...this.inputs.values()].map((each) => each.before).join(" ");
  }

  arguments(plan: Plan): string {
    return plan.parameters.map((each) =>
      each.role === "fill" ? "$count" : (this.inputs.get(each) ?? this.outputs.get(each))!.argument
    ).join(", ");
  }
}

function plainBody(plan: Plan, parts: Parts): string {
  const outputs = [...parts.outputs.values()];
  const room = outputs.map((each) => `${each.declare} ${each.room}`).join(" ");
  const returned = returnSource(plan, parts);
  const keep = plan.command.result === "void" ? "" : "const $r = ";
  return `${parts.before()} ${room} ${keep}${callSource(plan, parts)} ${checkSource(plan)} ${returned}`;
}

/** Queries the count, makes room, and queries again; repeats, up to a bound, while the result is VK_INCOMPLETE. */
function fillBody(plan: Plan, parts: Parts): string {
  const declare = [...parts.outputs.values()].map((each) => each.declare).join(" ");
  const filled = plan.outputs.filter((each) => isFilled(plan, each)).map((each) => parts.outputs.get(each)!);
  const fixed = plan.outputs.filter((each) => !isFilled(plan, each)).map((each) => parts.outputs.get(each)!.room);
  const reset = filled.map((each) => `${each.argument} = 0;`).join(" ");
  const room = filled.map((each) => each.room).join(" ");
  const bytes = plan.fill!.kind === "usize";
  const read = bytes
    ? "$n = Number($m.getBigUint64($count, true));"
    : `$n = $counted($m.getUint32($count, true), "${plan.command.name}");`;
  const call = `${plan.command.result === "void" ? "" : "$r = "}${callSource(plan, parts)} ${
    checkSource(plan)
  } ${read}`;
  return `${parts.before()} ${declare} ${fixed.join(" ")} const $count = $arena.alloc(8); let $r = 0, $n = 0; ` +
    `let $turn = 0; do { $arena.zero($count, 8); ${reset} ${call} if ($n === 0) break; ${room} ${call} } ` +
    `while ($r === 5 && $again(++$turn, $n, "${plan.command.name}")); ` +
    returnSource(plan, parts);
}

function callSource(plan: Plan, parts: Parts): string {
  return `$call(${parts.arguments(plan)}, $offset);`;
}

function checkSource(plan: Plan): string {
  const failed = plan.command.result === "VkResult" ? `if ($r < 0) $fail("${plan.command.name}", $r);` : "";
  return `$rethrow(); ${failed}`;
}

function returnSource(plan: Plan, parts: Parts): string {
  const result = plan.command.result === "VkBool32" ? "$r !== 0" : "$r";
  const outputs = plan.outputs.map((each) => ({ key: resultKey(each.name), value: parts.outputs.get(each)!.value }));
  if (outputs.length === 0) return plan.returnsResult ? `return ${result};` : "";
  if (outputs.length === 1 && !plan.returnsResult) return `return ${outputs[0].value};`;
  const members = outputs.map(({ key, value }) => `${key}: ${value}`);
  return `return { ${plan.returnsResult ? `result: ${result}, ` : ""}${members.join(", ")} };`;
}
