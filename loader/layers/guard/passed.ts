import { arena } from "../../../ffi/arena.ts";
import { isInBlock } from "../../../ffi/block.ts";
import { isMapped } from "../../../ffi/mapped.ts";
import { peek32, peek64 } from "../../../ffi/machine.ts";
import { layoutOf, sizeOfKind } from "../../codec/layout/layout.ts";
import { commandSignature, countOf, DISPATCHABLE, type Parameter, type Plan, planOf } from "../../command/plan.ts";
import type { Command } from "../../command/registry/table.ts";
import type { Layer } from "../../layer.ts";
import { isDispatchable, knowsHandle } from "./known_handles.ts";

// deno-lint-ignore no-explicit-any -- the arguments depend on the command
type Arguments = readonly any[];

/**
 * Checks the arguments that a layer passes on, where they differ from those of
 * its hook. Without a hook, checks all arguments.
 */
export type PassedCheck = (args: Arguments, came?: Arguments) => void;

/**
 * Makes the check of a command for a layer. The check throws a `TypeError` for
 * arguments of the wrong type, for values that are not handles, and for NULL
 * where a pointer is required. It also throws for pointers to memory that is
 * unmapped or was reused, such as structs of an earlier call, and for calls
 * after the hook has returned.
 */
export function passedCheck(layer: Layer, command: Command): PassedCheck {
  const plan = planOf(command), letters = commandSignature(command, "raw").slice(2);
  const fail = (sentence: string) => {
    throw new TypeError(`${layer.name} calls on with a wrong ${sentence}`);
  };
  return (args, came) => {
    if (came && came[0] === undefined) {
      throw new TypeError(
        `${layer.name} calls next() of ${command.name} after its hook returned; use this.below() then`,
      );
    }
    plan.parameters.forEach((parameter, index) => {
      const value = args[index], found = typeof value, wanted = letters[index] === "q" ? "bigint" : "number";
      if (came && value === came[index] && !isRaised(plan, parameter, args, came)) return;
      const fault = found === wanted
        ? faultOf(layer, { plan, parameter, args, isSubstitute: came !== undefined }, value as bigint)
        : `is ${value === undefined ? "missing" : `a ${found}`}; give a ${wanted}`;
      if (fault) fail(`${parameter.name} of ${command.name}: it ${fault}`);
    });
  };
}

/** An argument to check. */
interface Passed {
  readonly plan: Plan;
  readonly parameter: Parameter;
  readonly args: Arguments;
  /** Whether the argument replaces another value that the caller gave. */
  readonly isSubstitute: boolean;
}

/** Whether an unchanged array gets a higher count than the caller gave. */
function isRaised(plan: Plan, parameter: Parameter, args: Arguments, came: Arguments): boolean {
  const index = plan.parameters.findIndex(({ name }) => name === countOf(parameter));
  return index >= 0 && came[index] !== undefined && args[index] > came[index];
}

function faultOf(layer: Layer, passed: Passed, value: bigint): string | undefined {
  const { parameter: { kind, stars, dims, type, optional, role }, args, isSubstitute } = passed;
  if (stars > 0 || dims.length > 0) return pointerFault(passed, value);
  if (kind !== "h" || layer.ownHandles) return undefined;
  if (DISPATCHABLE.has(type) && !isDispatchable(value)) return `is no ${type}; give one that the layer got`;
  if (value === 0n) return optional ? undefined : "is VK_NULL_HANDLE, which is not allowed there";
  const isTrusted = !isSubstitute || role === "self" && type !== "VkCommandBuffer";
  if (isTrusted || knowsHandle(layer, peek64(args[0]), type, value)) return undefined;
  return `is no ${type} that next() or this.below() made; say \`ownHandles: true\` if the layer knows better`;
}

/** The one pointer that no driver follows: the value comes back when the device is lost. */
const OPAQUE = "pCheckpointMarker";

function pointerFault({ plan, parameter, args, isSubstitute }: Passed, address: bigint): string | undefined {
  const { name, optional, len, kind, type, stars, role } = parameter;
  if (name === OPAQUE) return undefined;
  if (address === 0n) return optional || len !== "" ? undefined : "is NULL, which is not allowed there";
  const isStruct = kind === "struct" && stars === 1;
  const unit = isStruct ? layoutOf(type).size : stars > 1 ? 8 : sizeOfKind(kind) || 1;
  const size = unit * countIn(plan, len, args);
  if (!isThere(address, size, isSubstitute)) {
    return "points to memory that is not there, or no longer; give what write() or a NativeBlock holds, and keep no addresses";
  }
  if (!isStruct || role === "output" || layoutOf(type).sType < 0 || size === 0) return undefined;
  const found = peek32(address), wanted = layoutOf(type).sType;
  if (found === wanted) return undefined;
  return `points to no ${type}: its sType is ${found}, not ${wanted}; keep no addresses`;
}

/** The number of elements of an array, if a parameter is the number or points to it. */
function countIn(plan: Plan, len: string, args: Arguments): number {
  const index = plan.parameters.findIndex(({ name }) => name === len);
  if (index < 0) return 1;
  return plan.parameters[index].stars === 0 ? Number(args[index]) : args[index] === 0n ? 0 : peek32(args[index]);
}

/**
 * Whether memory may be used. Memory above the arena's top belongs to earlier
 * calls. A pointer that replaces the caller's must lead to memory of this
 * library: other memory may still be mapped although its owner has reused it,
 * such as a stack.
 */
function isThere(address: bigint, size: number, isSubstitute: boolean): boolean {
  const memory = arena(), at = Number(address - memory.base);
  if (at >= 0 && at < memory.size) return memory.holds(at, size);
  return isSubstitute ? isInBlock(address, size) : isMapped(address, size);
}
