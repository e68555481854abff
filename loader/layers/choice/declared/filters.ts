import { parseFilter } from "../../../driver/environment/filter.ts";
import type { Variables } from "../../../driver/environment/variables.ts";
import type { ManifestLayer } from "./manifest.ts";

/** What the filters go by. */
interface Named {
  readonly name: string;
  readonly isImplicit: boolean;
}

/** What the environment says about which layers count. */
export interface LayerFilters {
  /** The names in VK_INSTANCE_LAYERS, in order. */
  readonly instanceLayers: readonly string[];
  /** Whether VK_LOADER_LAYERS_ENABLE matches a layer. */
  enables(name: string): boolean;
  /** Whether VK_LOADER_LAYERS_DISABLE takes a layer away, and no other variable keeps it. */
  hides(layer: Named): boolean;
}

/** An environment that says nothing. */
export const NO_FILTERS: LayerFilters = { instanceLayers: [], enables: () => false, hides: () => false };

/** Whether the environment may put any layer into an instance: all that is read of it where nothing else could. */
export function wantsLayers(variables: Variables): boolean {
  return variables.read("VK_INSTANCE_LAYERS") !== "" || variables.read("VK_LOADER_LAYERS_ENABLE") !== "";
}

/** Reads the variables that choose layers. All are ignored in an elevated process. */
export function layerFilters(variables: Variables): LayerFilters {
  const named = variables.honour(
    "VK_INSTANCE_LAYERS",
    "puts these layers into every instance",
    (value) => `env var 'VK_INSTANCE_LAYERS' defined and adding layers "${value}"`,
  );
  const enable = parseFilter(variables.honour("VK_LOADER_LAYERS_ENABLE", "layers it matches count"));
  const disable = parseDisable(variables.honour("VK_LOADER_LAYERS_DISABLE", "layers it matches do not count"));
  const allow = parseFilter(variables.honour("VK_LOADER_LAYERS_ALLOW", "exempts layers from VK_LOADER_LAYERS_DISABLE"));
  const instanceLayers = named.split(":").filter((name) => name !== "");
  const enables = (name: string) => enable?.(name) ?? false;
  return {
    instanceLayers,
    enables,
    hides: (layer) =>
      disable(layer) && !enables(layer.name) && !allow?.(layer.name) && !instanceLayers.includes(layer.name),
  };
}

/** A filter that also knows the words for all implicit and all explicit layers. */
function parseDisable(list: string): (layer: Named) => boolean {
  const matches = parseFilter(list), words = list.toLowerCase().split(",");
  return ({ name, isImplicit }) =>
    (matches?.(name) ?? false) || words.includes(isImplicit ? "~implicit~" : "~explicit~");
}

/**
 * Why an implicit layer does not count by itself; `undefined` when it does. Its
 * disable variable wins over everything, even when it is empty; without its
 * enable variable, if it has one, `enables` must name it.
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
