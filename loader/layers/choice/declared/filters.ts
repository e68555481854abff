import { parseFilter, type Variables } from "../../../driver/environment/variables.ts";
import type { ManifestLayer } from "./manifest.ts";

/** The part of a layer that filters read. */
interface Named {
  readonly name: string;
  readonly isImplicit: boolean;
}

/** The environment's choice of layers. */
export interface LayerFilters {
  /** The names in VK_INSTANCE_LAYERS, in order. */
  readonly instanceLayers: readonly string[];
  /** Whether VK_LOADER_LAYERS_ENABLE matches a layer. */
  enables(name: string): boolean;
  /** Whether VK_LOADER_LAYERS_DISABLE removes a layer and no other variable keeps it. */
  hides(layer: Named): boolean;
}

/** An environment without any filter. */
export const NO_FILTERS: LayerFilters = { instanceLayers: [], enables: () => false, hides: () => false };

/** Whether the environment may enable any layer. Nothing else is read if no other source could. */
export function wantsLayers(variables: Variables): boolean {
  return variables.read("VK_INSTANCE_LAYERS") !== "" || variables.read("VK_LOADER_LAYERS_ENABLE") !== "";
}

/**
 * Reads the variables that choose layers. An elevated process ignores all of
 * them. `hasSettings`: the settings file orders layers, about which the Khronos
 * loader has words of its own.
 */
export function layerFilters(variables: Variables, hasSettings = false): LayerFilters {
  const named = variables.honour(
    "VK_INSTANCE_LAYERS",
    "puts these layers into every instance",
    (value) => `env var 'VK_INSTANCE_LAYERS' defined and adding layers${hasSettings ? `: ${value}` : ` "${value}"`}`,
  );
  const enable = parseFilter(variables.honour("VK_LOADER_LAYERS_ENABLE", "layers it matches count"));
  const disable = parseDisable(variables.honour("VK_LOADER_LAYERS_DISABLE", "layers it matches do not count"));
  const allow = parseFilter(variables.honour("VK_LOADER_LAYERS_ALLOW", "exempts layers from VK_LOADER_LAYERS_DISABLE"));
  const instanceLayers = named.split(":").filter((name) => name !== "");
  const enables = (name: string) => enable?.(name) ?? false;
  return {
    instanceLayers,
    enables,
    hides: (layer) => disable(layer) && !enables(layer.name) && !allow?.(layer.name),
  };
}

/** Returns a filter that also knows the words for all implicit and all explicit layers. */
function parseDisable(list: string): (layer: Named) => boolean {
  const matches = parseFilter(list), words = list.toLowerCase().split(",");
  return ({ name, isImplicit }) =>
    (matches?.(name) ?? false) || words.includes(isImplicit ? "~implicit~" : "~explicit~");
}

/**
 * Returns why an implicit layer does not count without being named; `undefined`
 * if it does. Its disable variable overrides everything, even if it is empty.
 * If the layer has an enable variable and that is not set, `enables` must name
 * the layer.
 */
export function turnedOff(
  { name, disable, enable }: ManifestLayer,
  enables: (name: string) => boolean,
  variables: Variables,
): string | undefined {
  if (disable !== undefined && variables.harmless(disable) !== undefined) return `${disable} is set`;
  if (!enable || enables(name)) return undefined;
  const [variable, value] = enable;
  return variables.harmless(variable) === value ? undefined : `${variable} is not ${value}`;
}
