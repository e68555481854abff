import { bindByTable } from "../../ffi/stubs.ts";
import { checkedCall } from "./bad_handle.ts";
import { mayGenerate } from "../../ffi/generated_code.ts";
import { generatedAddressing, generatedMethod, generatedRaw } from "./compiled/generate.ts";
import { interpretedAddressing, interpretedMethod, interpretedRaw } from "./closures/interpret.ts";
import { commandSignature } from "./registry/kind.ts";
import { planOf } from "./plan.ts";
import * as runtime from "./runtime.ts";
import type { Command } from "./registry/table.ts";
import type { Fail, NativeCall } from "./target.ts";

export type { Fail, NativeCall };

const methods = new Map<string, NativeCall>();
const raws = new Map<string, NativeCall>();

/** Returns the method of a command that calls directly through its dispatch table. Made once per process. */
export function directMethod(command: Command): NativeCall {
  const known = methods.get(command.name);
  if (known) return known;
  const call = bindByTable(commandSignature(command, "arena"));
  const target = { call, offset: 8 * command.slot, fail: runtime.fail }, plan = planOf(command);
  const method = mayGenerate() ? generatedMethod(plan, target, "direct") : interpretedMethod(plan, target);
  methods.set(command.name, method);
  return method;
}

/**
 * Returns a method that calls `raw` instead, because a hook or the chain itself
 * is in between and may know more about a failure. Compiled from its own source
 * text, so that the direct method's call site does not see a second function.
 */
export function routedMethod(command: Command, raw: NativeCall, fail: Fail): NativeCall {
  const signature = commandSignature(command, "arena"), plan = planOf(command);
  return mayGenerate()
    ? generatedMethod(plan, { call: generatedAddressing(command, signature, raw), offset: 0, fail }, "routed")
    : interpretedMethod(plan, { call: interpretedAddressing(command, signature, raw), offset: 0, fail });
}

/** Returns the raw form of a command through its dispatch table. Made once per process. */
export function directRaw(command: Command): NativeCall {
  const known = raws.get(command.name);
  if (known) return known;
  const raw = rawAt(command, 8 * command.slot);
  raws.set(command.name, raw);
  return raw;
}

/** Returns the raw form of a command through another offset of its dispatch table. */
export function rawAt(command: Command, offset: number): NativeCall {
  const target = { call: checkedCall(command, offset), offset };
  return mayGenerate() ? generatedRaw(command, target) : interpretedRaw(command, target);
}
