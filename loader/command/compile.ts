import * as runtime from "./runtime.ts";
import type { TableSet } from "../../ffi/emit/layout.ts";
import { storeFault } from "../../ffi/error.ts";
import { bindChecked, isTable } from "../../ffi/functions/table_sets.ts";
import { mayGenerate } from "../../ffi/generated_code.ts";
import { peek64 } from "../../ffi/machine.ts";
import { bindByTable } from "../../ffi/stubs.ts";
import { generatedMethod, generatedRaw, generatedRouted } from "./compiled/generate.ts";
import { commandSignature, planOf } from "./plan.ts";
import type { Command } from "./registry/table.ts";
import type { Fail, NativeCall } from "./target.ts";

export type { Fail, NativeCall };

/** Methods of closures. Only a runtime that forbids the generation of code loads them. */
const CLOSURES = mayGenerate() ? undefined : await import("./closures/interpret.ts");

const methods = new Map<string, NativeCall>();
const raws = new Map<string, NativeCall>();

/** Returns the method of a command that calls directly through its dispatch table. Made once per process. */
export function directMethod(command: Command): NativeCall {
  const known = methods.get(command.name);
  if (known) return known;
  const plan = planOf(command);
  const target = { call: bindByTable(plan.signature), offset: 8 * command.slot, fail: runtime.fail };
  const method = CLOSURES ? CLOSURES.interpretedMethod(plan, target) : generatedMethod(plan, target);
  methods.set(command.name, method);
  return method;
}

/**
 * Returns a method that calls `raw` instead, because a hook or the chain itself
 * is in between and may know more about a failure. Compiled from its own source
 * text, so that the direct method's call site does not see a second function.
 * `isLong`: the command takes so long that its call site need not be alone with it.
 */
export function routedMethod(command: Command, raw: NativeCall, fail: Fail, isLong = false): NativeCall {
  const plan = planOf(command);
  if (!CLOSURES) return generatedRouted(plan, raw, fail, isLong ? 1 : undefined);
  return CLOSURES.interpretedMethod(plan, {
    call: CLOSURES.interpretedAddressing(command, plan.signature, raw),
    offset: 0,
    fail,
  });
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
  return CLOSURES ? CLOSURES.interpretedRaw(command, target) : generatedRaw(command, target);
}

/** Commands that may be called with NULL. */
const NULLABLE: ReadonlySet<string> = new Set([
  "vkDestroyInstance",
  "vkDestroyDevice",
  "vkGetInstanceProcAddr",
  "vkGetDeviceProcAddr",
]);
/** The commands that are called by table, by the kind of handle and the offset in the table. */
const commands = new Map<string, Command>();

/**
 * Returns a function that calls a command at an offset of its dispatch table.
 * If the first argument is not a handle, throws after the call.
 */
function checkedCall(command: Command, offset: number): NativeCall {
  const set = command.level === "instance" ? "instance" : "device";
  commands.set(`${set} ${offset}`, command);
  return bindChecked(commandSignature(command, "raw"), set, refuse);
}

/** Throws, before TypeScript carries out a command, if the first argument is not a handle. */
export function checkHandle(command: Command, argument: bigint): void {
  if (command.level === "global" || (argument === 0n && NULLABLE.has(command.name))) return;
  const isHandle = argument !== 0n && isTable(command.level, peek64(argument));
  if (!isHandle) throw badHandle(command, argument);
}

function refuse(argument: bigint, set: TableSet, offset: number): void {
  storeFault(badHandle(commands.get(`${set} ${offset}`)!, argument));
}

function badHandle({ name, params: [{ name: parameter, type }] }: Command, argument: bigint): TypeError {
  const found = argument === 0n ? "VK_NULL_HANDLE" : `0x${argument.toString(16)}`;
  return new TypeError(`${name} ${parameter}: expected a ${type} that is not destroyed, found ${found}`);
}
