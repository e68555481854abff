import type { RawCommands } from "./gen/raw_commands_gen.ts";

/** A command's raw form: handles, addresses and 64-bit values are bigints, the rest numbers. */
export type RawCommand<Name extends keyof RawCommands> = RawCommands[Name];

/**
 * What a layer does at one command: it gets the next element of the chain and
 * the raw arguments, and returns what the caller shall see. Calling `next` is
 * its own decision. A throw becomes the caller's error.
 */
export type Hook<Name extends keyof RawCommands> = (
  next: RawCommand<Name>,
  ...args: Parameters<RawCommand<Name>>
) => ReturnType<RawCommand<Name>>;

/** A hook for a command known only by name. */
// deno-lint-ignore no-explicit-any -- the arguments depend on the command, which is not known here
export type AnyHook = (next: (...args: any[]) => any, ...args: any[]) => any;

/** An extension that a layer brings. */
export interface LayerExtension {
  /** The extension's name, such as `VK_EXT_debug_utils`. */
  readonly extensionName: string;
  /** Which version of it. */
  readonly specVersion: number;
  /** Whether applications are told of it; if not, only who knows of it can enable it. Default true. */
  readonly isListed?: boolean;
}

/**
 * What happens to a native program's call of a hooked command on a thread that
 * is not TypeScript's, where no hook can run at once. `"skip"`: it goes on
 * below, as if there were no hook. `"record"`: the same, and the layer is told
 * of it later. `"block"`: it waits until the event loop has run the hook, and
 * for ever if that is waiting for the thread itself.
 */
export type ForeignThreadPolicy = "skip" | "record" | "block";

/** A call of a hooked command that another thread made. */
export interface ForeignCall {
  /** The command. */
  readonly command: keyof RawCommands;
  /** Its raw arguments. What addresses and handles among them stand for may be gone. */
  readonly args: readonly (number | bigint)[];
  /** The thread: a number that no other living thread has. */
  readonly thread: bigint;
  /** How many calls of other threads were lost so far, in all, because there was no room for them. */
  readonly lost: number;
}

/** A command that a layer adds and the registry does not know. */
export interface NewCommand {
  /** The result's letter, a colon, and one letter for each parameter: `q` 64 bits and addresses, `w` u32, `s` i32, `f` float, `d` double, `v` no result. */
  readonly signature: string;
  /** What it does: 64-bit arguments are bigints, the others numbers, and so is the result. */
  // deno-lint-ignore no-explicit-any -- the arguments depend on the signature
  readonly call: (...args: any[]) => any;
  /** What a call on another thread does: nothing (`"skip"`, the default), or wait for the event loop. */
  readonly onForeignThread?: "skip" | "block";
}

/** A layer written in TypeScript. */
export interface Layer {
  /** The layer's name; by convention it begins with `VK_LAYER_`. */
  readonly name: string;
  /** Hooks by command name. Commands not named here cost nothing. */
  readonly commands?: { readonly [Name in keyof RawCommands]?: Hook<Name> };
  /**
   * Asked once for each command that is used and not in `commands`: a hook,
   * or nothing to leave the command alone. For layers that treat all commands
   * alike, such as tracers.
   */
  readonly anyCommand?: (command: string) => AnyHook | undefined;
  /** Instance extensions it brings: an instance may enable them although the driver lacks them, and does not see them. */
  readonly instanceExtensions?: readonly LayerExtension[];
  /** Device extensions it brings, likewise. */
  readonly deviceExtensions?: readonly LayerExtension[];
  /** Commands of its own, by name: vkGetInstanceProcAddr and vkGetDeviceProcAddr give their addresses while it is in the chain. */
  readonly newCommands?: { readonly [name: string]: NewCommand };
  /** What to do about other threads, for all commands or by command. Default `"skip"`; of several layers the one that asks for most counts. */
  readonly onForeignThread?: ForeignThreadPolicy | { readonly [Name in keyof RawCommands]?: ForeignThreadPolicy };
  /** Told of calls by `"record"`: at `vulkan.drain()`, within a tenth of a second, or when the loader is closed. */
  readonly recorded?: (call: ForeignCall) => void;
  /**
   * Whether it returns handles of its own making, and so hooks every command
   * that takes one. Without this, handles that nobody below has given are
   * refused before they reach the driver.
   */
  readonly ownHandles?: boolean;
  /** Commands that it alone calls: vkGetInstanceProcAddr and vkGetDeviceProcAddr do not give them to native code above. */
  readonly hides?: readonly (keyof RawCommands)[];
}

/**
 * Where in a live chain a layer is to stand: right above or right below
 * another, named by its object if it is TypeScript's, or by its name. Below a
 * native layer there is room only where a TypeScript layer was listed when the
 * loader was made.
 */
export type LayerPlace = { readonly above: Layer | string } | { readonly below: Layer | string };
