import {
  anything,
  checkOptions,
  closest,
  list,
  object,
  type OptionRules,
  text,
  typed,
  yesOrNo,
} from "../../../ffi/check_options.ts";
import { planOf } from "../../command/plan.ts";
import { findCommand } from "../../command/registry/table.ts";
import { DEVICE_NAMES, INSTANCE_NAMES } from "../../gen/command_table_gen.js";
import type { AnyHook, Layer } from "../../layer.ts";
import { contextOf } from "./context.ts";
import type { DefinedLayer, LayerContext, LayerDefinition, StateMakers, StateTypes } from "./definition.ts";
import { changeHooks } from "./device_changes.ts";
import { ObjectStates, stateAccess, STATES, withLives } from "./object_states.ts";

const EXTENSIONS = list("a list of extensions", object("an object of extensionName and specVersion"));
const RULES: OptionRules<LayerDefinition<StateTypes>> = {
  name: anything,
  onCreate: object("an object of functions by handle type"),
  commands: object("an object of hooks by command name"),
  physicalDevice: object("an object of what devices say, or a function that returns one"),
  anyCommand: typed("a function of a command's name", "function"),
  instanceExtensions: EXTENSIONS,
  deviceExtensions: EXTENSIONS,
  newCommands: object("an object of commands by their names"),
  onForeignThread: typed('"skip", "record" or "block", or an object of these by command name', "string", "object"),
  onReplace: typed("a function that takes the old layer", "function"),
  recorded: typed("a function that takes a call", "function"),
  isListed: yesOrNo,
  ownHandles: yesOrNo,
  hides: list("a list of commands", text("a command's name")),
};

/**
 * Defines a layer. Put the layer into `layers` of `loadVulkan` or attach it to
 * an instance. Hooks get raw arguments by their C names. In hooks that are
 * methods, `this` reads and writes structs, keeps state for objects, and calls
 * the commands below.
 *
 * @throws {TypeError} if the name is empty, a hook is not a function, or a
 *   command, handle type or member does not exist.
 *
 * @example A layer that counts submissions of each device
 * ```ts
 * import { defineLayer } from "@pumice/gfx/loader";
 *
 * const counter = defineLayer({
 *   name: "VK_LAYER_EXAMPLE_counter",
 *   onCreate: { VkDevice: () => ({ submits: 0 }) },
 *   commands: {
 *     vkQueueSubmit(next, queue, submitCount, pSubmits, fence) {
 *       this.state.VkDevice(queue).submits++;
 *       return next(queue, submitCount, pSubmits, fence);
 *     },
 *   },
 * });
 * ```
 *
 * @example A layer that makes every buffer larger
 * ```ts
 * import { defineLayer } from "@pumice/gfx/loader";
 *
 * const larger = defineLayer({
 *   name: "VK_LAYER_EXAMPLE_larger",
 *   commands: {
 *     vkCreateBuffer(next, device, pCreateInfo, pAllocator, pBuffer) {
 *       const info = this.read("VkBufferCreateInfo", pCreateInfo);
 *       return next(device, this.write("VkBufferCreateInfo", { ...info, size: info.size + 256n }), pAllocator, pBuffer);
 *     },
 *   },
 * });
 * ```
 */
export function defineLayer<Types extends StateTypes = Record<never, never>>(
  definition: LayerDefinition<Types>,
): DefinedLayer<Types> {
  checkOptions("defineLayer()", definition, RULES);
  const { onCreate, physicalDevice, ...given } = definition;
  if (typeof given.name !== "string" || given.name === "") {
    throw new TypeError("Cannot define a layer without a name: give it one such as VK_LAYER_EXAMPLE_counter");
  }
  for (const [command, hook] of Object.entries(given.commands ?? {})) checkHook(given.name, command, hook);
  for (const [type, maker] of Object.entries(onCreate ?? {})) checkMaker(given.name, type, maker);
  const makers = (onCreate ?? {}) as StateMakers<StateTypes>,
    states = new ObjectStates(makers),
    access = stateAccess(states, makers);
  const context = contextOf(() => layer, access);
  const changes = physicalDevice ? changeHooks(physicalDevice) : undefined;
  const named = merged(bound(given.commands, context), changes);
  const layer = {
    ...given,
    commands: named,
    state: access,
    [STATES]: states,
    ...(onCreate ? lives(named, given, states) : {}),
  };
  return layer as unknown as DefinedLayer<Types>;
}

type Hooks = Record<string, AnyHook>;

function bound(commands: object | undefined, context: LayerContext<StateTypes>): Hooks {
  const hooks = Object.entries(commands ?? {}) as [string, AnyHook][];
  return Object.fromEntries(hooks.map(([command, hook]) => [command, hook.bind(context)]));
}

/** The layer's own hooks are above its changes to physical devices. */
function merged(own: Hooks, changes: Layer["commands"]): Hooks {
  const hooks = { ...changes as Hooks, ...own };
  for (const [command, change] of Object.entries(changes ?? {}) as [string, AnyHook][]) {
    const above = own[command];
    if (above) hooks[command] = (next, ...args) => above((...rest) => change(next, ...rest), ...args);
  }
  return hooks;
}

/** Adds hooks that watch objects come and go around the layer's own hooks. */
function lives(named: Hooks, { anyCommand }: Layer, states: ObjectStates): Pick<Layer, "commands" | "anyCommand"> {
  const commands = Object.entries(named).map(([command, hook]) => [command, withLives(command, hook, states)]);
  return {
    commands: Object.fromEntries(commands),
    anyCommand: (command) => withLives(command, anyCommand?.(command), states),
  };
}

function checkHook(layer: string, command: string, hook: unknown): void {
  if (typeof hook !== "function") {
    throw new TypeError(`${layer}: commands.${command} is ${typeof hook}; write it as a function (next, ...arguments)`);
  }
  if (!findCommand(command)) {
    throw new TypeError(`${layer}: there is no Vulkan command ${command}; ${meant(command, commandNames())}`);
  }
}

function checkMaker(layer: string, type: string, maker: unknown): void {
  if (typeof maker !== "function") {
    throw new TypeError(`${layer}: onCreate.${type} is ${typeof maker}; write it as a function that returns state`);
  }
  if (!isHandleType(type)) {
    throw new TypeError(`${layer}: there is no Vulkan handle type ${type}; ${meant(type, handleTypes())}`);
  }
}

function meant(wrong: string, names: readonly string[]): string {
  const name = closest(wrong, names);
  return name ? `did you mean ${name}?` : "check the spelling";
}

/** The names of all commands. */
export function commandNames(): string[] {
  return `${INSTANCE_NAMES} ${DEVICE_NAMES}`.split(" ");
}

/** Whether some command takes or returns handles of a type. Stops at the first such command. */
function isHandleType(type: string): boolean {
  return commandNames().some((name) => handlesIn(name).includes(type));
}

/** All types of handles. */
function handleTypes(): string[] {
  return [...new Set(commandNames().flatMap(handlesIn))];
}

function handlesIn(command: string): string[] {
  return planOf(findCommand(command)!).parameters.filter(({ kind }) => kind === "h").map(({ type }) => type);
}
