import { arena } from "../../ffi/arena.ts";
import { bindByTable } from "../../ffi/stubs.ts";
import { rethrowFault } from "../../ffi/fault.ts";
import { codec } from "../codec/codec.ts";
import { methodSource } from "./method_source.ts";
import { planOf } from "./plan.ts";
import { rawParameters, rawSource } from "./raw_source.ts";
import * as runtime from "./runtime.ts";
import { commandSignature } from "./kind.ts";
import type { Command } from "./table.ts";

/** A native command as JavaScript calls it: numbers and bigints only. */
// deno-lint-ignore no-explicit-any -- each command has its own arguments; the generated types give them back
export type NativeCall = (...args: any[]) => any;

/** Throws the error of a negative VkResult. */
export type Fail = (command: string, result: number) => never;

const methods = new Map<string, NativeCall>();
const raws = new Map<string, NativeCall>();

/** The method of a command whose calls go straight through its dispatch table; compiled once per process. */
export function directMethod(command: Command): NativeCall {
  const known = methods.get(command.name);
  if (known) return known;
  const call = bindByTable(commandSignature(command, "arena"));
  const method = compileMethod(command, call, 8 * command.slot, "direct", runtime.fail);
  methods.set(command.name, method);
  return method;
}

/**
 * A method whose calls go through `raw` instead: a hook or the chain itself
 * stands between, and may know more about a failure. Compiled from its own
 * source text, so that it does not make the direct method's call site see a
 * second function.
 */
export function routedMethod(command: Command, raw: NativeCall, fail: Fail): NativeCall {
  return compileMethod(command, addressing(command, raw), 0, "routed", fail);
}

/** The raw form of a command through its dispatch table; compiled once per process. */
export function directRaw(command: Command): NativeCall {
  const known = raws.get(command.name);
  if (known) return known;
  const call = bindByTable(commandSignature(command, "raw"));
  const raw = compile(
    rawSource(command),
    { $call: call, $offset: 8 * command.slot, $rethrow: rethrowFault },
    `raw/${command.name}`,
  );
  raws.set(command.name, raw);
  return raw;
}

function compileMethod(command: Command, call: NativeCall, offset: number, road: string, fail: Fail): NativeCall {
  const { text, structs } = methodSource(planOf(command));
  const memory = arena();
  const names: Record<string, unknown> = {
    $call: call,
    $offset: offset,
    $arena: memory,
    $m: memory.view,
    $rethrow: rethrowFault,
    $number: runtime.toNumber,
    $bigint: runtime.toBigInt,
    $size: runtime.toSize,
    $handle: runtime.toHandle,
    $object: runtime.toObject,
    $text: runtime.placeText,
    $data: runtime.placeData,
    $length: runtime.lengthOf,
    $byteLength: runtime.byteLengthOf,
    $sameLength: runtime.sameLength,
    $missing: runtime.missing,
    $fail: fail,
    $given: runtime.givenOutput,
    $zero: runtime.zero,
    $list: runtime.list,
    $bytes: runtime.copyBytes,
  };
  structs.forEach((name, index) => names[`$codec${index}`] = codec(name));
  return compile(text, names, `${road}/${command.name}`);
}

/** Turns arena offsets into the addresses a raw command takes. */
function addressing(command: Command, raw: NativeCall): NativeCall {
  const signature = commandSignature(command, "arena").slice(2);
  const names = rawParameters(command);
  const passed = names.map((name, index) =>
    signature[index] === "o" ? `(${name} === 0 ? 0n : $base + BigInt(${name}))` : name
  );
  const text = `(${names.join(", ")}) => $raw(${passed.join(", ")})`;
  return compile(text, { $raw: raw, $base: arena().base }, `addressing/${command.name}`);
}

/** Compiles an expression with the given free names; the source URL makes it findable in stack traces. */
function compile(text: string, names: Record<string, unknown>, url: string): NativeCall {
  const make = new Function(...Object.keys(names), `return ${text};\n//# sourceURL=pumice/${url}`);
  return make(...Object.values(names));
}
