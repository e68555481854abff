import type { Finding } from "../../driver/report/finding.ts";
import { versionText } from "../../version.ts";
import { type ManifestLayer, refusedLayer } from "./declared/manifest.ts";
import { componentsOf, firstByName, withMetas } from "./declared/meta.ts";
import type { Activation, ActivationRequest, ActiveLayer, CatalogLayer, EnabledBy, FoundLayers } from "./rules.ts";

/** A chosen layer, possibly a meta-layer, and what enabled it. */
type Choice = readonly [CatalogLayer, EnabledBy];

/**
 * Chooses the layers of an instance from a catalogue, top to bottom: implicit
 * ones in the order found; those of VK_INSTANCE_LAYERS; those that
 * VK_LOADER_LAYERS_ENABLE matches; those that the application requests. A
 * settings file gives the order of all. A meta-layer is replaced by its
 * components. A layer counts at its first place.
 */
export function activate(catalog: FoundLayers, request: ActivationRequest): Activation {
  const { requested, present = [], apiVersion = 0 } = request;
  const byName = firstByName(catalog.layers);
  const choices = catalog.settings?.layers
    ? chosenBySettings(catalog, requested)
    : chosenByRule(catalog, byName, requested);
  const findings = unusedOf(catalog, choices, present), active: ActiveLayer[] = [];
  const taken = new Set<ManifestLayer>(catalog.layers.filter(({ name }) => present.includes(name)));
  for (const [choice, by] of choices) {
    const isOrdered = catalog.settings?.layers !== undefined; // without such a file, implicit layers were reported
    if (by === "enable" && (isOrdered || !choice.isImplicit)) {
      findings.push(forced(choice, "Layer", isOrdered ? "." : ""));
    }
    findings.push(...withoutComponents(choice, byName));
    for (const layer of componentsOf(choice, byName)) {
      if (taken.has(layer) || (layer !== choice && layer.off !== undefined)) continue;
      taken.add(layer);
      const byItself = by === "implicit" || by === "settings";
      active.push({ layer, by: layer === choice ? by : "meta", byItself });
      if (layer.isImplicit) findings.push(...ageFinding(layer, apiVersion));
    }
  }
  const counts = ([choice]: Choice) =>
    withMetas(choice, byName).filter((layer) => layer === choice || layer.off === undefined);
  const listed = new Set(choices.flatMap(counts));
  const unknown = requested.filter((name) => !byName.has(name) && !present.includes(name));
  return {
    active,
    unknown,
    findings: [...findings, ...unknown.map((name) => unknownFinding(name, requested))],
    listed: [...listed],
  };
}

function chosenByRule(
  { layers, filters }: FoundLayers,
  byName: ReadonlyMap<string, CatalogLayer>,
  requested: readonly string[],
): Choice[] {
  const known = (names: readonly string[], by: EnabledBy) =>
    names.flatMap((name): Choice[] => byName.has(name) ? [[byName.get(name)!, by]] : []);
  const implicit = layers.filter((layer) => countsByItself(layer) && !filters.instanceLayers.includes(layer.name));
  const enabled = layers.filter((layer) => filters.enables(layer.name) && layer.off === undefined);
  return [
    ...implicit.map((layer): Choice => [layer, "implicit"]),
    ...known(filters.instanceLayers, "instanceLayers"),
    ...enabled.map((layer): Choice => [layer, "enable"]),
    ...known(requested, "application"),
  ];
}

function chosenBySettings({ layers, filters }: FoundLayers, requested: readonly string[]): Choice[] {
  return layers.flatMap((layer): Choice[] => {
    const by = reasonUnderSettings(layer);
    return by ? [[layer, by]] : [];
  });
  function reasonUnderSettings(layer: CatalogLayer): EnabledBy | undefined {
    if (layer.control === "on") return "settings";
    if (filters.hides(layer)) return undefined;
    if (filters.enables(layer.name) && layer.off === undefined) return "enable";
    if (filters.instanceLayers.includes(layer.name)) return "instanceLayers";
    if (requested.includes(layer.name)) return "application";
    return countsByItself(layer) ? "implicit" : undefined;
  }
}

function countsByItself({ isImplicit, off }: CatalogLayer): boolean {
  return isImplicit && off === undefined;
}

/** Reports why implicit layers do not count, and which names in VK_INSTANCE_LAYERS no layer has. */
function unusedOf({ layers, filters }: FoundLayers, choices: readonly Choice[], present: readonly string[]) {
  const chosen = new Set(choices.map(([{ name }]) => name)), names = new Set(layers.map(({ name }) => name));
  const off = layers.filter((layer) => layer.off !== undefined && !chosen.has(layer.name))
    .map((layer) => refusedLayer(layer, layer.off!));
  const filtered = layers.filter((layer) => layer.control === "auto" && filters.hides(layer)).map(hidden);
  const twice = layers.filter(({ name }) => chosen.has(name) && present.includes(name))
    .map((layer) => refusedLayer(layer, "in the chain already, by the layers option", "debug"));
  const missing = filters.instanceLayers.filter((name) => !names.has(name) && !present.includes(name));
  const value = filters.instanceLayers.join(":"), path = "VK_INSTANCE_LAYERS";
  return [
    ...off,
    ...filtered,
    ...twice,
    ...missing.map((name): Finding => ({
      subject: "variable",
      path,
      value,
      origin: "environment",
      taken: false,
      reason: `names ${name}, which is not there, and which instances do without`,
      level: "error",
      category: "layer",
      message: `Layer "${name}" was not found but was requested by env var VK_INSTANCE_LAYERS!`,
    })),
  ];
}

function unknownFinding(path: string, requested: readonly string[]): Finding {
  const reason = "asked for by the application, and not there or turned off; install it or set VK_LAYER_PATH";
  const index = requested.indexOf(path);
  const message = `loader_validate_layers: Layer ${index} does not exist in the list of available layers`;
  const finding = { subject: "layer", path, origin: "ppEnabledLayerNames", taken: false, reason } as const;
  return { ...finding, level: "error", category: "none", message };
}

/** The finding that VK_LOADER_LAYERS_ENABLE enabled a layer. The Khronos loader has several beginnings and ends. */
export function forced({ name: path, manifest: origin }: ManifestLayer, what: string, end: string): Finding {
  const message = `${what} "${path}" forced enabled due to env var 'VK_LOADER_LAYERS_ENABLE'${end}`;
  const reason = "VK_LOADER_LAYERS_ENABLE matches it";
  return { subject: "layer", path, origin, taken: true, reason, level: "warning", message };
}

/** The finding about a layer that a filter removes. A meta-layer continues without the component. */
export function hidden(layer: ManifestLayer): Finding {
  const message =
    `Layer "${layer.name}" forced disabled because name matches filter of env var 'VK_LOADER_LAYERS_DISABLE'.`;
  return refusedLayer(layer, "VK_LOADER_LAYERS_DISABLE matches it", "warning", message);
}

/** The findings about components of a meta-layer that a filter has removed. */
function withoutComponents(meta: ManifestLayer, byName: ReadonlyMap<string, ManifestLayer>): Finding[] {
  return meta.components.filter((name) => !byName.has(name)).map((name) => {
    const message = `Failed to find layer name "${name}" component layer "${name}" to activate (Policy #LLP_LAYER_7)`;
    return { ...refusedLayer(meta, `goes on without its component ${name}`, "warning", message), taken: true };
  });
}

/** A layer is used even if it is older than the application's Vulkan version. */
function ageFinding(layer: ManifestLayer, apiVersion: number): Finding[] {
  if (layer.apiVersion >>> 12 >= apiVersion >>> 12) return [];
  const { name: path, manifest: origin } = layer,
    said = (version: number) => versionText(version).replace(/\.\d+$/, "");
  const reason = "older than the Vulkan version of the application; may cause issues";
  const message = `Layer ${path} uses API version ${said(layer.apiVersion)} which is older than the application ` +
    `specified API version of ${said(apiVersion)}. May cause issues.`;
  return [{ subject: "layer", path, origin, taken: true, reason, level: "warning", message }];
}
