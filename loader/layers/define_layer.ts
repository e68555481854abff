import { findCommand } from "../command/table.ts";
import type { RawCommands } from "../gen/raw_commands_gen.ts";

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
}

/**
 * Declares a layer. It does nothing but check the shape and give the hooks
 * their types; put the layer in `layers` of `loadVulkan` or attach it to an
 * instance.
 *
 * @throws {TypeError} when the name is empty, a hook is no function, or a command does not exist.
 *
 * @example A layer that counts submissions
 * ```ts
 * import { defineLayer } from "@pumice/gfx/loader";
 *
 * let submits = 0;
 * const counter = defineLayer({
 *   name: "VK_LAYER_EXAMPLE_counter",
 *   commands: {
 *     vkQueueSubmit(next, queue, submitCount, pSubmits, fence) {
 *       submits++;
 *       return next(queue, submitCount, pSubmits, fence);
 *     },
 *   },
 * });
 * ```
 */
export function defineLayer(layer: Layer): Layer {
  if (typeof layer.name !== "string" || layer.name === "") {
    throw new TypeError("Cannot define a layer without a name: give it one such as VK_LAYER_EXAMPLE_counter");
  }
  for (const [command, hook] of Object.entries(layer.commands ?? {})) checkHook(layer.name, command, hook);
  return layer;
}

function checkHook(layer: string, command: string, hook: unknown): void {
  if (typeof hook !== "function") {
    throw new TypeError(`${layer}: commands.${command} is ${typeof hook}; write it as a function (next, ...arguments)`);
  }
  if (!findCommand(command)) {
    throw new TypeError(`${layer}: there is no Vulkan command ${command}; check the spelling`);
  }
}
