import type { Finding } from "../driver/finding.ts";
import { refusedLayer } from "./discover.ts";
import type { ManifestLayer } from "./manifest.ts";

/** Takes away the meta-layers that cannot be: they, too, count only whole. */
export function withoutBrokenMetas(layers: readonly ManifestLayer[], report: Finding[]): ManifestLayer[] {
  const byName = new Map(layers.map((layer) => [layer.name, layer]));
  return layers.filter((layer) => {
    const fault = faultOf(layer, byName, []);
    if (fault === undefined) return true;
    report.push(refusedLayer(layer, fault, "warning"));
    return false;
  });
}

/** The layers a layer stands for, top to bottom: itself, or what its components stand for. */
export function componentsOf(layer: ManifestLayer, byName: ReadonlyMap<string, ManifestLayer>): ManifestLayer[] {
  if (layer.components.length === 0) return [layer];
  return layer.components.flatMap((name) => {
    const component = byName.get(name);
    return component ? componentsOf(component, byName) : [];
  });
}

/** {@linkcode componentsOf} the layer of a name; `undefined` when there is none. */
export function componentsNamed(name: string, layers: readonly ManifestLayer[]): ManifestLayer[] | undefined {
  const byName = new Map(layers.map((layer) => [layer.name, layer])), layer = byName.get(name);
  return layer && componentsOf(layer, byName);
}

/** What is wrong with a layer's components. */
function faultOf(
  layer: ManifestLayer,
  byName: ReadonlyMap<string, ManifestLayer>,
  above: readonly string[],
): string | undefined {
  if (above.includes(layer.name)) return `stands for itself, by way of ${above.join(", ")}`;
  for (const name of layer.components) {
    const component = byName.get(name);
    if (!component) return `its component ${name} is not there`;
    if (component.apiVersion >>> 12 < layer.apiVersion >>> 12) return `its component ${name} is of an older Vulkan`;
    const fault = faultOf(component, byName, [...above, layer.name]);
    if (fault !== undefined) return fault;
  }
}
