import type { Finding } from "../../../driver/report/finding.ts";
import type { Host } from "../../../driver/host/host.ts";
import { versionText } from "../../../version.ts";
import { type ManifestLayer, OVERRIDE, refusedLayer } from "./manifest.ts";

/** Removes meta-layers with impossible components. A meta-layer counts only as a whole. */
export function withoutBrokenMetas(layers: readonly ManifestLayer[], report: Finding[]): ManifestLayer[] {
  const byName = firstByName(layers);
  return layers.filter((layer) => {
    const fault = faultOf(layer, byName);
    if (fault === undefined) {
      if (layer.components.length > 0) report.push(whole(layer), ...extended(layer, byName));
      return true;
    }
    const message = `${VERIFY} ${fault.words}  Skipping this layer.`;
    const details = `Removing meta-layer ${layer.name} from instance layer list since it appears invalid.`;
    report.push({ ...refusedLayer(layer, fault.reason, "warning", message), details, category: "none" });
    return false;
  });
}

/** Returns the finding that a meta-layer counts. Each component has a line of its own. */
function whole({ name, manifest, components }: ManifestLayer): Finding {
  const first = `Meta-layer "${name}" all ${components.length} component layers appear to be valid.`;
  const message = [first, ...components.map((each, index) => `  [${index}] ${each}`)].join("\n");
  return {
    subject: "layer",
    path: name,
    origin: manifest,
    taken: true,
    reason: "has all its components",
    level: "debug",
    message,
  };
}

/** Returns the finding that a meta-layer has the extensions of its components; none without such extensions. */
function extended(
  { name, manifest, components }: ManifestLayer,
  byName: ReadonlyMap<string, ManifestLayer>,
): Finding[] {
  const lines = components.flatMap((component) => {
    const { instanceExtensions, deviceExtensions } = byName.get(component)!;
    const kinds = [["instance", instanceExtensions], ["device", deviceExtensions]] as const;
    return kinds.flatMap(([kind, extensions]) =>
      extensions.map((each) =>
        `Meta-layer ${name} component layer ${component} adding ${kind} extension ${each.extensionName}`
      )
    );
  });
  if (lines.length === 0) return [];
  const finding = { subject: "layer", path: name, origin: manifest, taken: true, level: "debug" } as const;
  const words = { message: lines.join("\n"), messageLevel: "debug", category: "none" } as const;
  return [{ ...finding, reason: `has ${lines.length} extensions of its components`, ...words }];
}

/** Maps each name to the first layer that has it. */
export function firstByName<Named extends ManifestLayer>(layers: readonly Named[]): Map<string, Named> {
  return new Map(layers.toReversed().map((layer) => [layer.name, layer]));
}

/** Returns the layers that a layer stands for, top to bottom: itself, or those of its components. */
export function componentsOf<Each extends ManifestLayer>(layer: Each, byName: ReadonlyMap<string, Each>): Each[] {
  if (layer.components.length === 0) return [layer];
  return layer.components.flatMap((name) => {
    const component = byName.get(name);
    return component ? componentsOf(component, byName) : [];
  });
}

/**
 * Returns the layers that a layer stands for, and each meta-layer among them,
 * including the layer itself, after its components. A meta-layer without one of
 * its components is left out.
 */
export function withMetas<Each extends ManifestLayer>(layer: Each, byName: ReadonlyMap<string, Each>): Each[] {
  const components = layer.components.map((name) => byName.get(name)).filter((each) => each !== undefined);
  const whole = components.length === layer.components.length ? [layer] : [];
  return [...components.flatMap((each) => withMetas(each, byName)), ...whole];
}

/** Returns the layer of a name, and its components if it is a meta-layer; `undefined` if there is none. */
export function wholeNamed(name: string, layers: readonly ManifestLayer[]): ManifestLayer[] | undefined {
  const byName = firstByName(layers), layer = byName.get(name);
  return layer && [...new Set([layer, ...componentsOf(layer, byName)])];
}

/** The beginning of the Khronos loader's messages about a meta-layer's components. */
const VERIFY = "verify_meta_layer_component_layers:";

/** A fault of a layer's components, as a sentence and as the Khronos loader's message. */
interface Fault {
  readonly reason: string;
  readonly words: string;
}

/** Returns a fault of a layer's components. */
function faultOf(
  layer: ManifestLayer,
  byName: ReadonlyMap<string, ManifestLayer>,
): Fault | undefined {
  for (const [index, name] of layer.components.entries()) {
    const component = byName.get(name), meta = `Meta-layer ${layer.name}`;
    if (!component) {
      const words = `${meta} can't find component layer ${name} at index ${index}.`;
      return { reason: `its component ${name} is not there`, words };
    }
    if (component.apiVersion >>> 12 < layer.apiVersion >>> 12) {
      const versions = [layer, component].map(({ apiVersion }) => minorVersion(apiVersion));
      const words = `Meta-layer uses API version ${versions[0]}, but component layer ${index} has API version ` +
        `${versions[1]} that is lower.`;
      return { reason: `its component ${name} is of an older Vulkan`, words };
    }
    if (layer.name === name) {
      const words = `${meta} lists itself in its component layer list at index ${index}.`;
      return { reason: "stands for itself", words };
    }
    if (component.components.length > 0) {
      const words = `${meta} lists meta-layer ${name} in its component layer list at index ${index}.`;
      return { reason: `its component ${name} is a meta-layer itself, which the Khronos loader refuses, too`, words };
    }
  }
}

/** Formats a version as "1.3". */
function minorVersion(version: number): string {
  return versionText(version).split(".").slice(0, 2).join(".");
}

/** Returns the override layer for this program: one that names it, otherwise one that names no program. */
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
  for (const { manifest, appKeys } of candidates.filter((each) => each !== chosen)) {
    const reason = chosen ? `${chosen.manifest} is for this program` : `its app_keys do not name ${executable}`;
    const finding = { subject: "layer", path: OVERRIDE, origin: manifest, taken: false, reason } as const;
    const message = `--Override layer found but not used because app '${executable}' is not in 'app_keys' list!`;
    report.push({ ...finding, ...appKeys.length > 0 && { message } });
  }
  if (chosen) report.push(inForce(chosen, executable));
  return chosen;
}

function inForce({ manifest, appKeys }: ManifestLayer, executable: string): Finding {
  const isGlobal = appKeys.length === 0, reason = isGlobal ? "for all programs" : `for ${executable}`;
  const message = isGlobal ? "Using the global override layer" : `Using the override layer for app key ${executable}`;
  return { subject: "layer", path: OVERRIDE, origin: manifest, taken: true, reason, level: "debug", message };
}
