/**
 * A planted fault: one call of a program that is made in another way.
 *
 * @module
 */

/** Arguments of a call by name, as a recording has them or as a layer reads them. */
// deno-lint-ignore no-explicit-any -- the arguments depend on the command
export type Args = Record<string, any>;

/** Whether a call is made with changed arguments, is not made, or cannot have the fault. */
export type Change = "changed" | "left out" | "unsuitable";

/** A kind of faults. */
export interface Kind {
  /** The fault of the call. */
  readonly name: string;
  /** The commands whose calls can have the fault. */
  readonly commands: readonly string[];
  /** Changes the arguments of a call in place, if they are suitable. */
  readonly change: (args: Args) => Change;
}

/** A call of a recording, so that each replay finds it. */
export interface Place {
  /** The command. */
  readonly command: string;
  /** For a command of a command buffer: the buffer's number among all that are allocated. */
  readonly buffer?: number;
  /** The number of the call among those of the command, in its command buffer if it has one. */
  readonly nth: number;
}

/** A fault at a place. */
export interface Fault extends Place {
  /** The name of the kind. */
  readonly kind: string;
}

/** A place as a text, which is a key. */
export function keyOf({ command, buffer, nth }: Place): string {
  return `${command} ${buffer ?? ""} ${nth}`;
}

/** Adds to a number. Recordings have numbers of 64 bits as text. */
export function plus<Value extends number | bigint | string>(value: Value, by: number): Value {
  if (typeof value === "number") return value + by as Value;
  const sum = BigInt(value) + BigInt(by);
  return (typeof value === "bigint" ? sum : `${sum}`) as Value;
}

/**
 * Returns a change that adds to a member, named by its path: `"pRegions.0.srcOffset"`. It does not suit calls without
 * that member, or where the sum is less than `least`.
 */
export function adding(path: string, by: number, least = 0): Kind["change"] {
  return setting(path, (value) => Number(value) + by < least ? undefined : plus(value, by));
}

/** Returns a change that puts one value in place of another; the other way round, too. */
export function swapping(path: string, one: number, other: number): Kind["change"] {
  return setting(path, (value) => value === one ? other : value === other ? one : undefined);
}

/** Returns a change that gives a member the value that a function returns; undefined if the call does not suit. */
// deno-lint-ignore no-explicit-any -- the value depends on the member
export function setting(path: string, next: (value: any, owner: Args) => unknown): Kind["change"] {
  const names = path.split("."), last = names.pop()!;
  return (args) => {
    const owner = names.reduce((inner, name) => inner?.[name], args), value = owner?.[last];
    const wanted = value === undefined || value === null ? undefined : next(value, owner);
    if (wanted === undefined) return "unsuitable";
    owner[last] = wanted;
    return "changed";
  };
}

/** Returns several changes in one; they suit a call that all of them suit. */
export function all(...changes: readonly Kind["change"][]): Kind["change"] {
  return (args) => {
    const done = changes.map((each) => each(args));
    return done.includes("unsuitable") ? "unsuitable" : "changed";
  };
}

/** Leaves a call out. */
export function leavingOut(): Change {
  return "left out";
}
