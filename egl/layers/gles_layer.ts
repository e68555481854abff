import { anything, callback, either, object, type OptionRules, typed } from "../../ffi/check_options.ts";
import type { ForeignThreadPolicy } from "../../loader/layer.ts";
import type { EglRawCommands } from "../gen/egl_commands_gen.ts";
import type { GlRawCommands } from "../gen/gl_commands_gen.ts";

/** Every command that a layer can stand before, in its raw form. */
export interface GlesCommands extends EglRawCommands, GlRawCommands {
  /** The driver's own strings. */
  eglQueryStringImplementationANDROID(dpy: bigint, name: number): bigint;
}

/**
 * What a layer does at one command: it gets what lies below and the raw
 * arguments, and returns what the caller shall see. Calling `next` is its own
 * decision. A throw becomes the caller's error.
 */
export type GlesHook<Name extends keyof GlesCommands> = (
  this: GlesLayerContext,
  next: GlesCommands[Name],
  ...args: Parameters<GlesCommands[Name]>
) => ReturnType<GlesCommands[Name]>;

/** A hook for a command known only by name. */
// deno-lint-ignore no-explicit-any -- the arguments depend on the command, which is not known here
export type AnyGlesHook = (this: GlesLayerContext, next: (...args: any[]) => any, ...args: any[]) => any;

/** What `this` is in the hooks of a layer, if they are written as methods. */
export interface GlesLayerContext {
  /** The commands below this layer, in raw form. A GL command needs a context that is current. */
  readonly below: GlesCommands;
  /** A copy of so many bytes at an address. The caller vouches for the address. */
  read(address: bigint, size: number): Uint8Array<ArrayBuffer>;
  /** The string at an address, which ends with a NUL, or after `length` bytes; `""` for NULL. */
  readString(address: bigint, length?: number): string;
}

/** A call of a hooked command that another thread made. */
export interface GlesForeignCall {
  /** The command. */
  readonly command: keyof GlesCommands;
  /** Its raw arguments. What addresses and handles among them stand for may be gone. */
  readonly args: readonly (number | bigint)[];
  /** The thread: a number that no other living thread has. */
  readonly thread: bigint;
  /** How many calls of other threads were lost so far, in all, because there was no room for them. */
  readonly lost: number;
}

/** A layer for EGL and OpenGL ES 2.0 and later, written in TypeScript. */
export interface GlesLayer {
  /** The layer's name. */
  readonly name: string;
  /** Hooks by command name. Commands not named here cost nothing. */
  readonly commands?: { readonly [Name in keyof GlesCommands]?: GlesHook<Name> } & ThisType<GlesLayerContext>;
  /**
   * Asked once for each command that is not in `commands`: a hook, or nothing to
   * leave the command alone. For layers that treat all commands alike.
   */
  readonly anyCommand?: (command: keyof GlesCommands, context: GlesLayerContext) => AnyGlesHook | undefined;
  /**
   * What to do about other threads, for all commands or by command. Default
   * `"skip"`; of several layers the one that asks for most counts. With
   * `"block"` a hook answers for the thread that waits. That thread itself
   * carries out `next` and `this.below` of commands about what is current there,
   * all of GL among them: as it would with `"skip"`.
   */
  readonly onForeignThread?: ForeignThreadPolicy | { readonly [Name in keyof GlesCommands]?: ForeignThreadPolicy };
  /** Told of calls by `"record"`: within a tenth of a second, or when the loader is closed. */
  readonly recorded?: (call: GlesForeignCall) => void;
}

/** What can be said of a layer, and what fits. */
export const GLES_LAYER_RULES: OptionRules<GlesLayer> = {
  name: anything,
  commands: object("an object of functions by the commands' names"),
  anyCommand: callback("says how a command is hooked"),
  onForeignThread: either(typed("a policy", "string"), object("a policy, or policies by the commands' names")),
  recorded: callback("takes a call of another thread"),
};
