/** A native command as JavaScript calls it: numbers and bigints only. */
// deno-lint-ignore no-explicit-any -- each command has its own arguments; the generated types give them back
export type NativeCall = (...args: any[]) => any;

/** Throws the error of a negative VkResult. */
export type Fail = (command: string, result: number) => never;

/** What the raw form of a command calls. */
export interface RawTarget {
  /** The stub, or what stands for it. */
  readonly call: NativeCall;
  /** Its last argument: where in the dispatch table the command is. */
  readonly offset: number;
}

/** What the method of a command calls. */
export interface Target extends RawTarget {
  /** Throws the error of a negative VkResult. */
  readonly fail: Fail;
}
