import type { IS_CLOSED } from "../runtime.ts";
import type { Parameter, Plan } from "../plan.ts";

/** An object commands are called on. */
export interface Caller {
  /** The native handle. */
  readonly handle: bigint;
  /** Whether what it belongs to is closed. */
  readonly [IS_CLOSED]?: boolean;
  /** Makes the object of a dispatchable handle that came back. */
  wrap(type: string, handle: bigint): object;
}

/** One interpreted call while it runs: what was given, and where in the arena things are. */
export interface Frame {
  /** The command's name. */
  readonly plan: Plan;
  /** What the method was called on. */
  readonly self: Caller;
  /** What the caller passed, by parameter name. */
  readonly given: ReadonlyMap<string, unknown>;
  /** Arena offsets of what was placed, and of the room for outputs; 0 is NULL. */
  readonly places: Map<Parameter, number>;
  /** How many elements output arrays have. */
  readonly lengths: Map<Parameter, number>;
  /** Arena offset of the in-out count of a count-then-fill command. */
  count: number;
  /** What the driver last said in that count. */
  filled: number;
}

/** Names a parameter in messages. */
export function labelOf(plan: Plan, parameter: Parameter): string {
  return `${plan.command.name}: ${parameter.name}`;
}
