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
  /**
   * Whether it returns handles of its own making, and so hooks every command
   * that takes one. Without this, handles that nobody below has given are
   * refused before they reach the driver.
   */
  readonly ownHandles?: boolean;
}

/**
 * Where in a live chain a layer is to stand: right above or right below
 * another, named by its object if it is TypeScript's, or by its name. Below a
 * native layer there is room only where a TypeScript layer was listed when the
 * loader was made.
 */
export type LayerPlace = { readonly above: Layer | string } | { readonly below: Layer | string };
