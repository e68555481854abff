/** A native command for JavaScript: numbers and bigints only. */
// deno-lint-ignore no-explicit-any -- each command has its own arguments; the generated types give them back
export type NativeCall = (...args: any[]) => any;

/** Throws the error of a negative VkResult. */
export type Fail = (command: string, result: number) => never;

/** The native function behind the raw form of a command. */
export interface RawTarget {
  /** The stub, or its replacement. */
  readonly call: NativeCall;
  /** The stub's last argument: the command's offset in the dispatch table. */
  readonly offset: number;
}

/** The native function behind the method of a command. */
export interface Target extends RawTarget {
  /** Throws the error of a negative VkResult. */
  readonly fail: Fail;
}
