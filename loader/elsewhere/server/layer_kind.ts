import type { Processor } from "../commands.ts";
import type { NativeCall } from "../../command/compile.ts";
import type { ForeignCall } from "../../layer.ts";
import type { LibrarySpec } from "../library/assemble.ts";
import type { Call } from "./call.ts";
import type { CopyStep } from "./copies.ts";
import type { Program } from "./program.ts";
import type { Pulse } from "./pulse.ts";

/** A call that is being answered, and its program. */
export interface Answer {
  readonly call: Call;
  readonly program: Program;
}

/** What hooks need of the session that runs them. */
export interface HookSpec<Kind> {
  /** The layers as they are now. */
  layers(): readonly Kind[];
  /** Where hooks note that they run; absent if nobody looks. */
  readonly pulse?: Pulse;
  /** The call whose hooks run now. */
  answer(): Answer;
  /** Has an address called by the thread of that call. */
  request(address: bigint, signature: string, args: readonly (number | bigint)[]): unknown;
}

/** The hooks of all layers, with the functions of the program below them. */
export interface Hooks<Kind> {
  /** Returns the hooks of a command as they are now, all the way down. */
  compose(name: string): NativeCall;
  /** Lets a layer keep what another knows whose place it will take, in all programs. */
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
  /** The names of those whose calls the layer wants to wait for it. */
  wantedBy(layer: Kind): readonly string[];
  /** The signature of a command. */
  signatureOf(name: string): string;
  /** What the program gets if a hook throws. */
  failureOf(name: string): number | bigint;
  /** Returns who hears of noted calls of a command; `undefined` if the layer does not want to. */
  listener(layer: Kind, name: string): ((call: NotedCall) => void) | undefined;
  /** Returns who hears, in place of a layer's hooks, of calls that were timed; `undefined` if the hooks are needed. */
  timer(layer: Kind): ((command: string, nanoseconds: number) => void) | undefined;
  /** Says how what arguments point to is copied. Throws a `TypeError` for what cannot be copied. */
  planCopies(name: string, paths: readonly string[], processor: Processor): readonly CopyStep[];
  /** Makes the hooks of a session. */
  hooks(spec: HookSpec<Kind>): Hooks<Kind>;
  /** Writes what programs load to a folder. */
  writeFiles(folder: string, spec: LibrarySpec): Promise<unknown>;
}
