import type { OtherMemory } from "../../../ffi/arena_memory.ts";
import type { Processor } from "../commands.ts";
import type { NativeCall } from "../../../loader/command/compile.ts";
import type { ForeignCall } from "../../../loader/layer.ts";
import type { LibrarySpec } from "../library/assemble.ts";
import type { Call } from "./call.ts";
import type { CopyStep } from "./copies.ts";
import type { Program } from "./program.ts";
import type { Pulse } from "./pulse.ts";

/** Key of a layer's function that gives the work of a hook after `next`. */
export const REST: unique symbol = Symbol("the rest of a hook");

/** Key of a layer's mark that its hooks ask which pages programs write. */
export const WATCHES: unique symbol = Symbol("asks which pages are written");

/**
 * Key of a layer's function that says whether its hooks of commands in {@linkcode LayerKind.late} may run after the
 * calls, beginning with the next one.
 */
export const LATE: unique symbol = Symbol("whether hooks may run late");

/**
 * Key of a layer's function that takes, before a call whose hooks run late, what the call hands to the device and the
 * program may change afterwards.
 */
export const CAPTURE: unique symbol = Symbol("what must be taken before a call");

/**
 * Key of a layer's function that says what a program takes by itself in place of {@linkcode CAPTURE}, which is called
 * later then, with what the program took. Without it, calls wait for their captures.
 */
export const GATHER: unique symbol = Symbol("what programs take before a call");

/** The memory and numbers that a program takes by itself before a call of {@linkcode LayerKind.captured}. */
export interface Gathering {
  /** The memory that is copied. The same list as before if nothing has changed. */
  readonly ranges: readonly GatheredRange[];
  /**
   * Returns the changes since the last call of what is written for each command buffer of the call; a command buffer
   * without such a number, or a number taken back, has the call wait. Absent if nothing is written.
   */
  readonly takePokes?: () => ReadonlyMap<bigint, Poke | undefined>;
}

/** Memory of a program that is copied. */
export interface GatheredRange {
  readonly address: bigint;
  readonly size: number;
}

/** A number of 32 bits, and the address where it is written; 0n for nowhere. */
export interface Poke {
  readonly address: bigint;
  readonly value: number;
}

/** Key of a layer's function that does what can wait: while a program's thread makes a call, and before this one waits. */
export const SPARE: unique symbol = Symbol("what can wait");

/** The work of a hook after `next`, given the result of `next`. It runs once, whoever calls. */
export type Rest = (result: unknown) => void;

/** A layer that knows of programs: its hooks must have done their work when the program's thread goes on. */
export interface SplitLayer {
  /** Returns the rest of the innermost hook that is within `next`; `undefined` if there is none, or it was returned. */
  readonly [REST]?: () => Rest | undefined;
  /** Whether the hooks use {@linkcode OtherMemory.pages}. */
  readonly [WATCHES]?: true;
  readonly [LATE]?: () => boolean;
  readonly [SPARE]?: () => void;
  readonly [CAPTURE]?: (command: string, args: readonly (number | bigint)[], isGathered: boolean) => void;
  readonly [GATHER]?: () => Gathering;
}

/** A call whose hooks run: the thread waits, or has gone on. */
export type AnsweredCall = Pick<
  Call,
  | "command"
  | "process"
  | "thread"
  | "record"
  | "next"
  | "handle"
  | "slot"
  | "isAway"
  | "age"
  | "isReleased"
  | "noteRests"
  | "releaseAfter"
  | "request"
  | "requireWaiting"
>;

/** A call that is being answered, and its program. */
export interface Answer {
  readonly call: AnsweredCall;
  readonly program: Program;
  /** The memory in which the hooks read, if it is not the program's as that is now. */
  readonly memory?: OtherMemory;
}

/** The parts of a session that its hooks need. */
export interface HookSpec<Kind> {
  /** The layers as they are now. */
  layers(): readonly Kind[];
  /** The place where hooks note that they run; absent if nobody looks. */
  readonly pulse?: Pulse;
  /** The call whose hooks run now. */
  answer(): Answer;
  /** Lets the thread of the call make a call of an address. */
  request(address: bigint, signature: string, args: readonly (number | bigint)[]): unknown;
}

/** The hooks of all layers, with the functions of the program below them. */
export interface Hooks<Kind> {
  /** Returns the hooks of a command as they are now, all the way down. */
  compose(name: string): NativeCall;
  /** Hands the state of a layer to the layer that takes its place, in all programs. */
  handOver(old: Kind, layer: Kind, programs: Iterable<Program>): void;
}

/** A call that a program noted, of any interface. */
export type NotedCall = Omit<ForeignCall, "command"> & { readonly command: string };

/** An interface that layers stand in: its commands, its layers and their hooks. */
export interface LayerKind<Kind extends { readonly name: string }> {
  /** Returns the names of all commands. A command's number is its place. */
  names(): readonly string[];
  /** Commands whose calls are handed over whatever the layers hook. */
  readonly always: readonly string[];
  /** Throws a `TypeError` for a layer that cannot be served. */
  requireServable(layer: Kind): void;
  /** The names of the commands that a layer hooks. */
  hookedBy(layer: Kind): readonly string[];
  /** The names of the commands whose calls the layer wants to wait for their hooks. */
  wantedBy(layer: Kind): readonly string[];
  /** The signature of a command. */
  signatureOf(name: string): string;
  /** Returns the result for the program if a hook throws. */
  failureOf(name: string): number | bigint;
  /** Returns the function that gets noted calls of a command; `undefined` if the layer does not want them. */
  listener(layer: Kind, name: string): ((call: NotedCall) => void) | undefined;
  /** Returns the function that gets timed calls in place of a layer's hooks; `undefined` if the hooks are needed. */
  timer(layer: Kind): ((command: string, nanoseconds: number) => void) | undefined;
  /** Returns the rest of a layer's innermost hook; see {@linkcode SplitLayer}. */
  rest(layer: Kind): Rest | undefined;
  /** Commands whose hooks may run after the calls, with what a program copies for them: see `planCopies`. */
  readonly late: Readonly<Record<string, readonly string[]>>;
  /** Whether a layer's hooks may run late now; `undefined` for a layer whose hooks never may. See {@linkcode LATE}. */
  mayBeLate(layer: Kind): boolean | undefined;
  /** Commands among them that may take long, since they wait for the device, a window, or other threads. */
  readonly waiting: readonly string[];
  /** Commands among them before which layers capture. */
  readonly captured: readonly string[];
  /** Lets a layer capture; see {@linkcode CAPTURE}. Memory is what the program gathered if `isGathered`, and no other. */
  capture(layer: Kind, command: string, args: readonly (number | bigint)[], isGathered: boolean): void;
  /** Returns what programs gather for a layer; `undefined` for a layer that must capture itself. See {@linkcode GATHER}. */
  gathering(layer: Kind): Gathering | undefined;
  /** Lets a layer do what can wait; see {@linkcode SPARE}. */
  spare(layer: Kind): void;
  /** Whether a layer asks which pages programs write; see {@linkcode WATCHES}. */
  watches(layer: Kind): boolean;
  /** Plans the copies of what arguments point to. Throws a `TypeError` for memory that cannot be copied. */
  planCopies(name: string, paths: readonly string[], processor: Processor): readonly CopyStep[];
  /** Makes the hooks of a session. */
  hooks(spec: HookSpec<Kind>): Hooks<Kind>;
  /** Writes what programs load to a folder. */
  writeFiles(folder: string, spec: LibrarySpec): Promise<unknown>;
}
