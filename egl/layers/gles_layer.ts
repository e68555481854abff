import {
  anything,
  callback,
  checkOptions,
  closest,
  either,
  object,
  type OptionRules,
  typed,
} from "../../ffi/check_options.ts";
import type { ForeignThreadPolicy } from "../../loader/layer.ts";
import type { EglRawCommands } from "../gen/egl_commands_gen.ts";
import type { GlRawCommands } from "../gen/gl_commands_gen.ts";
import { allCommands, commandNamed } from "./commands.ts";

/** Every command that a layer can hook, in its raw form. */
export interface GlesCommands extends EglRawCommands, GlRawCommands {
  /** Returns the driver's own string. */
  eglQueryStringImplementationANDROID(dpy: bigint, name: number): bigint;
}

/**
 * A layer's hook for a command. The hook gets the next function below and the raw arguments, and returns the caller's
 * result. The hook decides whether to call `next`. An error that the hook throws is the caller's error.
 */
export type GlesHook<Name extends keyof GlesCommands> = (
  this: GlesLayerContext,
  next: GlesCommands[Name],
  ...args: Parameters<GlesCommands[Name]>
) => ReturnType<GlesCommands[Name]>;

/** A hook for a command that is known only by name. */
// deno-lint-ignore no-explicit-any -- the arguments depend on the command, which is not known here
export type AnyGlesHook = (this: GlesLayerContext, next: (...args: any[]) => any, ...args: any[]) => any;

/** The `this` of a layer's hooks that are methods. */
export interface GlesLayerContext {
  /** The commands below this layer, in raw form. A GL command needs a current context. */
  readonly below: GlesCommands;
  /** Returns a copy of a number of bytes at an address. The caller guarantees that the address is valid. */
  read(address: bigint, size: number): Uint8Array<ArrayBuffer>;
  /** Returns the string at an address, up to a NUL or with `length` bytes; `""` for NULL. */
  readString(address: bigint, length?: number): string;
  /**
   * Copies bytes, or a text with a NUL behind it, to memory that is valid until the hook returns, and returns the
   * address: for arguments of `next` and `below`. Throws a `TypeError` for anything else.
   */
  write(value: ArrayBufferView | string): bigint;
}

/** A call of a hooked command that another thread made. */
export interface GlesForeignCall {
  /** The command. */
  readonly command: keyof GlesCommands;
  /** The raw arguments. The memory and objects behind addresses and handles may no longer exist. */
  readonly args: readonly (number | bigint)[];
  /** The thread's number, which no other living thread has. */
  readonly thread: bigint;
  /** The time of the call, in nanoseconds of CLOCK_MONOTONIC. */
  readonly time: number;
  /** The system's number of the thread, as `gettid` returns. */
  readonly tid: number;
  /** Total number of calls from other threads that were lost so far, because there was no room for them. */
  readonly lost: number;
}

/** A layer for EGL, and for OpenGL ES 2.0 and later, written in TypeScript. */
export interface GlesLayer {
  /** The layer's name. */
  readonly name: string;
  /** Hooks by command name. A command without a hook costs nothing. */
  readonly commands?: { readonly [Name in keyof GlesCommands]?: GlesHook<Name> } & ThisType<GlesLayerContext>;
  /**
   * Called once for each command that is not in `commands`. Returns a hook, or `undefined` to leave the command alone.
   * For layers that treat all commands alike.
   */
  readonly anyCommand?: (command: keyof GlesCommands, context: GlesLayerContext) => AnyGlesHook | undefined;
  /**
   * The treatment of calls from other threads, for all commands or for each command. Default `"skip"`; of several
   * layers, the strongest choice counts. With `"block"`, the hook runs while the calling thread waits. `next` and
   * `this.below` of commands that depend on the current context, including all of GL, then run on the calling thread,
   * as with `"skip"`.
   */
  readonly onForeignThread?: ForeignThreadPolicy | { readonly [Name in keyof GlesCommands]?: ForeignThreadPolicy };
  /** Gets calls of `"record"`, within a tenth of a second, or when the loader is closed. */
  readonly recorded?: (call: GlesForeignCall) => void;
}

/** The members of a layer and their valid values. */
export const GLES_LAYER_RULES: OptionRules<GlesLayer> = {
  name: anything,
  commands: object("an object of functions by the commands' names"),
  anyCommand: callback("says how a command is hooked"),
  onForeignThread: either(typed("a policy", "string"), object("a policy, or policies by the commands' names")),
  recorded: callback("takes a call of another thread"),
};

/**
 * Defines a layer for EGL and OpenGL ES, for `layers` of `loadEgl` or for `attach` of its result. Hooks get the raw
 * arguments in the order of the C command. In hooks that are methods, `this` reads memory and calls the commands below
 * the layer.
 *
 * @throws when the name is empty, a hook is not a function, or there is no such command.
 *
 * @example A layer that counts draws
 * ```ts
 * import { defineGlesLayer } from "@pumice/gfx/egl";
 *
 * let draws = 0;
 * const counter = defineGlesLayer({
 *   name: "counter",
 *   commands: {
 *     glDrawArrays(next, mode, first, count) {
 *       draws++;
 *       next(mode, first, count);
 *     },
 *   },
 * });
 * ```
 */
export function defineGlesLayer(definition: GlesLayer): GlesLayer {
  checkOptions("defineGlesLayer()", definition, GLES_LAYER_RULES);
  const { name, commands = {} } = definition;
  if (typeof name !== "string" || name === "") {
    throw new TypeError("Cannot define a layer without a name: give it one such as counter");
  }
  for (const [command, hook] of Object.entries(commands)) {
    if (typeof hook !== "function") {
      throw new TypeError(
        `${name}: commands.${command} is ${typeof hook}; write it as a function (next, ...arguments)`,
      );
    }
    if (!commandNamed(command)) {
      const meant = closest(command, allCommands());
      throw new TypeError(
        `${name}: there is no EGL or OpenGL ES command ${command}; ` +
          (meant ? `did you mean ${meant}?` : "check the spelling"),
      );
    }
  }
  return definition;
}
