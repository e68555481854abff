import { GLES_LAYER_RULES } from "./gles_layer.ts";
import { checkOptions, closest } from "../../ffi/check_options.ts";
import { allCommands, commandNamed } from "./commands.ts";
import type { GlesLayer } from "./gles_layer.ts";

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
