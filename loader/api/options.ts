import {
  callback,
  checkOptions,
  either,
  list,
  number,
  type OptionRules,
  optionsOf,
  text,
  yesOrNo,
} from "../../ffi/check_options.ts";
import { DRIVER_RULE } from "../driver/choice.ts";
import { SEARCH_RULES } from "../driver/search/search.ts";
import type { Layer } from "../layer.ts";
import type { LayerHolder } from "../layers/define/layer_file.ts";
import type { VulkanOptions } from "../options.ts";

const LAYER = "what defineLayer() returns, or a native layer's name or path";

/** The options of `loadVulkan` and their rules. */
export const VULKAN_RULES: OptionRules<VulkanOptions> = {
  driver: DRIVER_RULE,
  layers: list(`a list of layers, each ${LAYER}`, either(text(LAYER), layerRule)),
  bottomLayers: list("a list of layers, each what defineLayer() returns", layerRule),
  implicitLayers: yesOrNo,
  foreignCalls: number,
  log: callback("takes a sentence"),
  ...SEARCH_RULES,
};

/**
 * Checks the options of `loadVulkan`; `here` names those that the entry has. Throws a `TypeError` about the first wrong
 * option.
 */
export function checkVulkanOptions(options: VulkanOptions, here: readonly string[] = Object.keys(VULKAN_RULES)): void {
  checkOptions("loadVulkan()", options, VULKAN_RULES);
  const other = Object.entries(options).find(([name, value]) => value !== undefined && !here.includes(name));
  if (other) {
    throw new TypeError(
      `Cannot use option "${other[0]}" of loadVulkan() here: give some of ${here.join(", ")}, ` +
        'or import loadVulkan from "@pumice/gfx/loader"',
    );
  }
  const twice = firstTwice(options.layers ?? []);
  if (twice === undefined) return;
  const advice = "a layer below itself would keep its state twice; give it once, or define another";
  throw new TypeError(`Cannot use layer ${twice} twice in option "layers" of loadVulkan(): ${advice}`);
}

/** Returns those options that belong to `loadVulkan`, for functions whose own options stand among them. */
export function vulkanOptionsOf(options: VulkanOptions): VulkanOptions {
  return optionsOf(options, VULKAN_RULES);
}

/** The layers that ship with the library come with their controls. The option needs the layer in it. */
function layerRule(value: unknown): string | undefined {
  const { name, layer } = Object(value) as { name?: unknown; layer?: unknown };
  if (typeof value === "object" && value !== null && typeof name === "string" && name !== "") return undefined;
  return typeof layer === "object" && layer !== null ? "its `layer` member" : LAYER;
}

function firstTwice(layers: NonNullable<VulkanOptions["layers"]>): string | undefined {
  const seen = new Set<unknown>();
  for (const layer of layers) {
    if (typeof layer === "object" && seen.has(layer)) return layer.name;
    seen.add(layer);
  }
}

/** The layers of every loader of this process, for programs that run somebody else's script. */
interface ProcessLayers {
  /** The layers of a loader with these options, top to bottom. */
  layers(options: VulkanOptions): readonly (Layer | string)[];
  /** Options for loaders whose script does not give them. A driver or platform of `"auto"` counts as not given. */
  readonly options?: VulkanOptions;
  /** Called with each new loader. */
  made(loader: LayerHolder): void;
}

let processWide: ProcessLayers | undefined;

/** Sets them for future loaders, or removes them. */
export function setProcessLayers(layers: ProcessLayers | undefined): void {
  processWide = layers;
}

/** Returns the current ones. */
export function processLayers(): ProcessLayers | undefined {
  return processWide;
}

/** Returns the options of a loader, with the process-wide options where the script gives none. */
export function withProcessOptions(given: VulkanOptions): VulkanOptions {
  const own = Object.entries(given).filter(([, value]) => value !== undefined && value !== "auto");
  return processWide?.options ? { ...given, ...processWide.options, ...Object.fromEntries(own) } : given;
}
