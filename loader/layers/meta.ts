import type { Finding } from "../driver/finding.ts";
import type { Host } from "../driver/host.ts";
import { type ManifestLayer, refusedLayer } from "./manifest.ts";

/** Takes away the meta-layers that cannot be: they, too, count only whole. */
export function withoutBrokenMetas(layers: readonly ManifestLayer[], report: Finding[]): ManifestLayer[] {
  const byName = firstByName(layers);
  return layers.filter((layer) => {
    const fault = faultOf(layer, byName, []);
    if (fault === undefined) return true;
    report.push(refusedLayer(layer, fault, "warning"));
    return false;
  });
}

/** What a name means: the first layer that has it. */
export function firstByName<Named extends ManifestLayer>(layers: readonly Named[]): Map<string, Named> {
  return new Map(layers.toReversed().map((layer) => [layer.name, layer]));
}

/** The layers a layer stands for, top to bottom: itself, or what its components stand for. */
export function componentsOf<Each extends ManifestLayer>(layer: Each, byName: ReadonlyMap<string, Each>): Each[] {
  if (layer.components.length === 0) return [layer];
  return layer.components.flatMap((name) => {
    const component = byName.get(name);
    return component ? componentsOf(component, byName) : [];
  });
}

/** The layers a layer stands for, each meta-layer among them, the layer itself included, after its components. */
export function withMetas(layer: ManifestLayer, byName: ReadonlyMap<string, ManifestLayer>): ManifestLayer[] {
  const components = layer.components.map((name) => byName.get(name)).filter((each) => each !== undefined);
  return [...components.flatMap((each) => withMetas(each, byName)), layer];
}

/** {@linkcode componentsOf} the layer of a name; `undefined` when there is none. */
export function componentsNamed(name: string, layers: readonly ManifestLayer[]): ManifestLayer[] | undefined {
  const byName = firstByName(layers), layer = byName.get(name);
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

/** The meta-layer by which the Vulkan Configurator of old set up layers for all programs or some. */
export const OVERRIDE = "VK_LAYER_LUNARG_override";

/** The override layer that is for this program: one that names it, else one that names no program. */
export function overrideFor(
  layers: readonly ManifestLayer[],
  host: Host,
  report: Finding[],
): ManifestLayer | undefined {
  const candidates = layers.filter(({ name }) => name === OVERRIDE);
  if (candidates.length === 0) return undefined;
  const executable = host.executable();
  const chosen = candidates.find(({ appKeys }) => appKeys.includes(executable)) ??
    candidates.find(({ appKeys }) => appKeys.length === 0);
  for (const { manifest } of candidates.filter((each) => each !== chosen)) {
    const reason = chosen ? `${chosen.manifest} is for this program` : `its app_keys do not name ${executable}`;
    report.push({ subject: "layer", path: OVERRIDE, origin: manifest, taken: false, reason });
  }
  return chosen;
}
