import type { IS_CLOSED } from "../../../ffi/scalar.ts";
import type { Parameter, Plan } from "../plan.ts";

/** An object commands are called on. */
export interface Caller {
  /** The native handle. */
  readonly handle: bigint;
  /** Whether the object's owner is closed. */
  readonly [IS_CLOSED]?: boolean;
  /** Makes the object of a returned dispatchable handle. */
  wrap(type: string, handle: bigint): object;
}

/** One interpreted call: the arguments, and the arena offsets. */
export interface Frame {
  /** The command's name. */
  readonly plan: Plan;
  /** The object of the method call. */
  readonly self: Caller;
  /** The caller's arguments by parameter name. */
  readonly given: ReadonlyMap<string, unknown>;
  /** Arena offsets of placed arguments and of the room for outputs; 0 is NULL. */
  readonly places: Map<Parameter, number>;
  /** The lengths of output arrays. */
  readonly lengths: Map<Parameter, number>;
  /** Arena offset of the in-out count of a count-then-fill command. */
  count: number;
  /** The driver's last value of that count. */
  filled: number;
}

/** Returns a parameter's name for messages. */
export function labelOf(plan: Plan, parameter: Parameter): string {
  return `${plan.command.name}: ${parameter.name}`;
}
