import { checkOptions, list, type OptionRules, typed } from "../../ffi/check_options.ts";
import type { RawCommands } from "../../loader/gen/raw_commands_gen.ts";
import type { ForeignThreadPolicy, Layer } from "../../loader/layer.ts";
import { LAYER_NAME } from "./manifest.ts";
import { serve, SERVE_RULES } from "./serve.ts";
import type { ServedLayers, ServePolicy, ServingOptions } from "./served.ts";
import { defaultFailure } from "../../ffi/thunk/thunk.ts";
import { commandSignature } from "../../loader/command/plan.ts";
import { findCommand } from "../../loader/command/registry/table.ts";
import { TIMED, type TimedLayer } from "../../loader/layers/shipped/profile/counters.ts";
import { hookedBy, hookOf } from "../../loader/layers/hooks/hooks.ts";
import { numberedCommands } from "./commands.ts";
import { HookChain } from "./server/hook_chain.ts";
import { planCopies } from "./server/copies.ts";
import {
  CAPTURE,
  GATHER,
  type Gathering,
  LATE,
  type LayerKind,
  REST,
  SPARE,
  type SplitLayer,
  WATCHES,
} from "./server/layer_kind.ts";
import { writeLayerFiles } from "./write_files.ts";

/** The layers of Vulkan. */
export const VULKAN: LayerKind<Layer> = {
  names: numberedCommands,
  always: ["vkCreateInstance", "vkDestroyInstance", "vkCreateDevice", "vkDestroyDevice"],
  requireServable,
  hookedBy: (layer) => hookedBy(layer).map(({ name }) => name),
  wantedBy,
  signatureOf,
  failureOf: (name) => defaultFailure(signatureOf(name)[0]),
  listener: (layer, name) =>
    layer.recorded && hookOf(layer, name)
      ? (call) => layer.recorded!({ ...call, command: name as keyof RawCommands })
      : undefined,
  timer: (layer: Layer & TimedLayer) => layer[TIMED],
  rest: (layer: Layer & SplitLayer) => layer[REST]?.(),
  watches: (layer: Layer & SplitLayer) => layer[WATCHES] ?? false,
  late: {
    vkQueueSubmit: [
      "pSubmits",
      "pSubmits.pNext=VkTimelineSemaphoreSubmitInfo",
      "pSubmits.pNext.pWaitSemaphoreValues",
      "pSubmits.pNext.pSignalSemaphoreValues",
      "pSubmits.pWaitSemaphores",
      "pSubmits.pWaitDstStageMask",
      "pSubmits.pCommandBuffers",
      "pSubmits.pSignalSemaphores",
    ],
    vkWaitForFences: ["pFences"],
    vkResetFences: ["pFences"],
    vkAcquireNextImageKHR: ["pImageIndex"],
    vkQueuePresentKHR: [
      "pPresentInfo",
      "!pPresentInfo.pNext",
      "!pPresentInfo.pResults",
      "pPresentInfo.pWaitSemaphores",
      "pPresentInfo.pSwapchains",
      "pPresentInfo.pImageIndices",
    ],
  },
  waiting: ["vkWaitForFences", "vkAcquireNextImageKHR", "vkQueuePresentKHR"],
  captured: ["vkQueueSubmit"],
  capture: (layer: Layer & SplitLayer, name, args, isGathered) => layer[CAPTURE]?.(name, args, isGathered),
  gathering: (layer: Layer & SplitLayer) => layer[CAPTURE] ? layer[GATHER]?.() : NOTHING,
  spare: (layer: Layer & SplitLayer) => layer[SPARE]?.(),
  mayBeLate: (layer: Layer & SplitLayer) => layer[LATE]?.(),
  planCopies(name, paths, processor) {
    const command = findCommand(name);
    if (!command) throw new TypeError(`Cannot record ${name}: the registry has no such command`);
    return planCopies(command, paths, processor);
  },
  hooks: (spec) => new HookChain(spec),
  writeFiles: writeLayerFiles,
};

/** Programs gather no memory for a layer that captures nothing. */
const NOTHING: Gathering = { ranges: [] };

function signatureOf(name: string): string {
  return commandSignature(findCommand(name)!, "raw");
}

/** The names of the commands that a layer hooks in programs. */
function wantedBy(layer: Layer): string[] {
  const names = hookedBy(layer).map(({ name }) => name).filter((name) => isHeard(layer, name));
  return hookOf(layer, "vkCreateInstance") ? [...names, "vkCreateInstance"] : names;
}

/**
 * Whether a layer wants a program's calls of a command. Every thread of a program is a foreign thread, so that "skip"
 * holds only where the layer states that policy.
 */
function isHeard({ onForeignThread }: Layer, name: string): boolean {
  const policy = typeof onForeignThread === "object"
    ? onForeignThread[name as keyof typeof onForeignThread]
    : onForeignThread;
  return policy !== "skip";
}

function requireServable({ name, instanceExtensions, deviceExtensions, newCommands }: Layer): void {
  if ([instanceExtensions, deviceExtensions, Object.keys(newCommands ?? {})].some((each) => each?.length)) {
    throw new TypeError(`Cannot serve ${name}: it adds extensions or commands, which only loadVulkan() can do`);
  }
}

/** The options of {@linkcode serveLayers}. */
export interface ServeLayersOptions extends ServingOptions {
  /** The layers, from the program to the driver. */
  readonly layers: readonly Layer[];
  /**
   * The treatment of calls of commands that layers hook, for all commands or by command. `"block"`, the default: the
   * call waits for its hooks. `"record"`: the call goes on at once, no hook runs, and the layers' `recorded` hears of
   * it later. `"skip"`: the call goes on at once. Creating and destroying instances and devices always wait. `{ record:
   * [...] }` also copies what arguments point to, such as `"pSubmits"`, and what members of the first struct there
   * point to, such as `"pSubmits.pCommandBuffers"`: 448 bytes a call in total, of up to 8 names. A chain with one
   * struct alone is named with that: `"pSubmits.pNext=VkTimelineSemaphoreSubmitInfo"`.
   */
  readonly policies?: ForeignThreadPolicy | { readonly [Name in keyof RawCommands]?: ServePolicy };
}

/** Layers that programs can load. */
export interface LayerServer extends ServedLayers<Layer> {
  /** The name of the native layer. */
  readonly name: string;
  /**
   * Returns the environment variables with which a program loads the layers,
   * on top of the program's own. By default, those of this process that name
   * layers; `Deno.Command` hands on all others by itself.
   */
  environment(own?: Readonly<Record<string, string>>): Record<string, string>;
}

const RULES: OptionRules<ServeLayersOptions> = {
  layers: list("a list of layers", typed("what defineLayer() returns", "object")),
  ...SERVE_RULES,
};

/**
 * Lets layers answer the calls of other processes: of any program on this
 * machine that loads the native layer library which this function writes. Hooks
 * run in this isolate, one at a time, while the calling thread of the program
 * waits. This process runs on Linux on x86-64; with `listen`, programs may run elsewhere.
 *
 * @throws {TypeError} for a layer that adds extensions or commands, for a wrong
 *   option or a name in `policies` of what cannot be copied, and if this isolate serves layers already.
 * @throws {NativeError} `unsupported` if the address of `listen` cannot be used,
 *   and with `runsOn: "aarch64-android"` if this isolate uses memory already that
 *   programs on phones cannot have.
 *
 * @example Count the buffers of a program
 * ```ts ignore
 * import { serveLayers } from "@pumice/gfx/layers";
 * import { defineLayer } from "@pumice/gfx/loader";
 *
 * let buffers = 0;
 * const counter = defineLayer({
 *   name: "VK_LAYER_EXAMPLE_counter",
 *   commands: {
 *     vkCreateBuffer(next, ...args) {
 *       buffers++;
 *       return next(...args);
 *     },
 *   },
 * });
 * await using server = await serveLayers({ layers: [counter] });
 * await new Deno.Command("vkcube", { args: ["--c", "10"], env: server.environment() }).spawn().status;
 * console.log(buffers);
 * ```
 */
export async function serveLayers(options: ServeLayersOptions): Promise<LayerServer> {
  checkOptions("serveLayers()", options, RULES);
  const server = await serve(VULKAN, options), { folder } = server;
  return Object.assign(server, {
    name: LAYER_NAME,
    environment: (own = layersOfProcess()) => ({ ...own, ...layerVariables(folder, own) }),
  });
}

/** The variables of this process that name layers. */
function layersOfProcess(): Record<string, string> {
  const names = ["VK_LAYER_PATH", "VK_ADD_LAYER_PATH", "VK_INSTANCE_LAYERS"];
  return Object.fromEntries(names.flatMap((name) => {
    const value = Deno.env.get(name);
    return value === undefined ? [] : [[name, value]];
  }));
}

/** Loaders ignore VK_ADD_LAYER_PATH if there is VK_LAYER_PATH. */
function layerVariables(folder: string, own: Readonly<Record<string, string>>): Record<string, string> {
  const { VK_LAYER_PATH, VK_ADD_LAYER_PATH, VK_INSTANCE_LAYERS } = own;
  const path = (rest: string | undefined) => rest ? `${folder}:${rest}` : folder;
  return {
    ...VK_LAYER_PATH ? { VK_LAYER_PATH: path(VK_LAYER_PATH) } : { VK_ADD_LAYER_PATH: path(VK_ADD_LAYER_PATH) },
    VK_INSTANCE_LAYERS: VK_INSTANCE_LAYERS ? `${LAYER_NAME}:${VK_INSTANCE_LAYERS}` : LAYER_NAME,
  };
}
