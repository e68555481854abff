import type { VulkanOptions } from "../loader/mod.ts";

/** An option of a command. */
export interface Option {
  /** Whether a value follows it. */
  readonly type: "string" | "boolean";
  /** Whether it may be given more than once: its value is then an array. */
  readonly multiple?: boolean;
  /** The placeholder of the option's value in the help, such as `"FILE"`. */
  readonly value?: string;
  /** The value where the option stands without `=` and a value. Without this member a value must follow. */
  readonly assumed?: string;
  /** A line of help. */
  readonly help: string;
}

/** A command of the command line. */
export interface Command {
  /** The operand in the usage: `"SCRIPT"`, in brackets if it is optional, or `""`. */
  readonly operand: string;
  /** A line about it. */
  readonly summary: string;
  /** Whether there may be several operands. */
  readonly takesSeveral?: boolean;
  /** The operands behind `--`, which belong to the program that the command runs, as the usage shows them. */
  readonly handsOn?: "[-- ARGS]" | "[-- PROGRAM ARGS]" | "-- PROGRAM ARGS";
  /** Whether the command takes native layers only, and no layers in TypeScript. */
  readonly takesNativeLayers?: boolean;
  /** The command's own options. */
  readonly options: Readonly<Record<string, Option>>;
  /**
   * Runs it and returns the exit code: 0 good, 1 a finding, 2 wrong use or a refusal. `print` gets what goes to
   * standard output. An error that `sentenceOf` has a sentence for goes to standard error.
   *
   * @throws {WrongUse} for an operand or an option that makes no sense.
   */
  run(request: Request, print: (text: string) => void, process: CommandProcess): number | Promise<number>;
}

/** A parsed command line. */
export interface Request {
  /** The operand. */
  readonly operand?: string;
  /** All operands. */
  readonly operands: readonly string[];
  /** The words behind `--`, for the script that is run. */
  readonly scriptArguments: readonly string[];
  /** Whether data are asked for, instead of text for people. */
  readonly json: boolean;
  /** The options that the command takes, by name; absent for a request that is not of a command line. */
  readonly known?: Readonly<Record<string, Option>>;
  /** The command's own options that were given, by name. */
  readonly values: Readonly<Record<string, string | boolean | (string | boolean)[] | undefined>>;
  /** The loader's options from `--driver`, `--layer`, `--platform`, `--root` and `--system-properties`. */
  readonly options: VulkanOptions;
  /** The drivers of `--driver`, in order, as libraries and manifests; none for a search. */
  readonly drivers: readonly string[];
}

/** The part of the process that a command can use, besides standard output. */
export interface Process {
  /** Prints to standard error. */
  readonly warn: (text: string) => void;
  /**
   * The number of columns of standard output, for text that people read. Absent if that is not to be broken into
   * lines.
   */
  readonly columns?: number;
  /** Waits until nothing else is left to do, as Deno does before it ends. Absent inside another program. */
  readonly idle?: () => Promise<void>;
  /** Runs the same command line in another process, with these flags of Deno; returns the exit code. Absent inside another program. */
  readonly restart?: (flags: readonly string[]) => Promise<number>;
}

/** The same with all commands by name, for those that tell of others. */
export interface CommandProcess extends Process {
  readonly commands?: ReadonlyMap<string, Command>;
}
