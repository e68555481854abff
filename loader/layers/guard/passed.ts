import { arena } from "../../../ffi/arena.ts";
import { isMapped } from "../../../ffi/mapped.ts";
import { peek32 } from "../../../ffi/machine.ts";
import { layoutOf, sizeOfKind } from "../../codec/layout.ts";
import { countOf, type Parameter, type Plan, planOf } from "../../command/plan.ts";
import { commandSignature, DISPATCHABLE } from "../../command/kind.ts";
import type { Command } from "../../command/table.ts";
import type { Layer } from "../../layer.ts";
import { isDispatchable, knowsHandle } from "./known_handles.ts";

// deno-lint-ignore no-explicit-any -- the arguments depend on the command
type Arguments = readonly any[];

/** Checks what a layer's hook passes on where that is not what it got; `came` is undefined after the hook returned. */
export type PassedCheck = (args: Arguments, came: Arguments) => void;

/**
 * The check of a command for a layer: it throws a `TypeError` for arguments of
 * the wrong type, handles that are none, required pointers that are NULL, and
 * pointers to memory that is not there or holds something else, such as the
 * structs of a call that is over.
 */
export function passedCheck(layer: Layer, command: Command): PassedCheck {
  const plan = planOf(command), letters = commandSignature(command, "raw").slice(2);
  return (args, came) =>
    plan.parameters.forEach((parameter, index) => {
      const value = args[index];
      if (value === came[index] && came[index] !== undefined && !isRaised(plan, parameter, args, came)) return;
      const wanted = letters[index] === "q" ? "bigint" : "number";
      const fault = typeof value === wanted
        ? faultOf(layer, plan, parameter, args, index)
        : `is ${typeof value === "undefined" ? "missing" : `a ${typeof value}`}; give a ${wanted}`;
      if (fault) {
        throw new TypeError(`${layer.name} calls on with a wrong ${parameter.name} of ${command.name}: it ${fault}`);
      }
    });
}

/** Whether an array that is the same is to have more elements than the caller gave it. */
function isRaised(plan: Plan, parameter: Parameter, args: Arguments, came: Arguments): boolean {
  const index = plan.parameters.findIndex(({ name }) => name === countOf(parameter));
  return index >= 0 && args[index] > came[index];
}

function faultOf(layer: Layer, plan: Plan, parameter: Parameter, args: Arguments, index: number): string | undefined {
  const value = args[index], { kind, stars, dims, type, optional } = parameter;
  if (stars > 0 || dims.length > 0) return pointerFault(plan, parameter, args, value);
  if (kind !== "h" || layer.ownHandles) return undefined;
  if (DISPATCHABLE.has(type)) return isDispatchable(value) ? undefined : `is no ${type}; give one that the layer got`;
  if (value === 0n) return optional ? undefined : "is VK_NULL_HANDLE, which is not allowed there";
  if (knowsHandle(layer, type, value)) return undefined;
  return `is no ${type} that the layer got or made; say \`ownHandles: true\` if its handles are its own`;
}

function pointerFault(plan: Plan, parameter: Parameter, args: Arguments, address: bigint): string | undefined {
  const { optional, len, kind, type, stars, role } = parameter;
  if (address === 0n) return optional || len !== "" ? undefined : "is NULL, which is not allowed there";
  const isStruct = kind === "struct" && stars === 1,
    unit = isStruct ? layoutOf(type).size : stars > 1 ? 8 : sizeOfKind(kind);
  const size = (unit || 1) * countIn(plan, len, args);
  if (!isThere(address, size)) return "points to memory that is not there, or no longer; keep copies, not addresses";
  if (!isStruct || role === "output" || layoutOf(type).sType < 0 || size === 0) return undefined;
  const found = peek32(address), wanted = layoutOf(type).sType;
  return found === wanted
    ? undefined
    : `points to no ${type}: its sType is ${found}, not ${wanted}; keep copies, not addresses`;
}

/** How many elements an array has, where one parameter says it, or leads to what says it. */
function countIn(plan: Plan, len: string, args: Arguments): number {
  const index = plan.parameters.findIndex(({ name }) => name === len);
  if (index < 0) return 1;
  return plan.parameters[index].stars === 0 ? Number(args[index]) : args[index] === 0n ? 0 : peek32(args[index]);
}

/** What is above the arena's top belongs to calls that are over. */
function isThere(address: bigint, size: number): boolean {
  const memory = arena(), at = Number(address - memory.base);
  return at >= 0 && at < memory.size ? at + size <= memory.mark() : isMapped(address, size);
}
