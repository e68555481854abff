import type { Finding } from "../../driver/report/finding.ts";
import type { Activation, ActivationRequest, ActiveLayer, EnabledBy } from "../choice/choose.ts";
import type { CatalogLayer } from "../choice/rules.ts";

/** What decides, beside the application, which layers an instance gets. */
export interface AndroidNames {
  /** Layers that the settings name, top to bottom. */
  readonly settings: readonly string[];
  /** Layers that properties name, top to bottom; empty while the settings name any. */
  readonly properties: readonly string[];
  /** Whether AOSP's own way is wanted where it is broken. */
  readonly strict: boolean;
}

/** A name, and who wants it. */
interface Wanted {
  readonly name: string;
  readonly by: EnabledBy;
}

/** What names layers, for those who look for the reason. */
const ORIGINS = { debugSetting: "gpu_debug_layers", debugProperty: "debug.vulkan.layers" } as const;

/**
 * Which layers an instance gets on Android, top to bottom: those the settings
 * name, or else those that properties name; those the application asks for;
 * the system's own. Each counts where it comes first. A name that no layer has
 * fails the instance, unless it is a property's, which all applications see.
 */
export function activateAndroid(
  layers: readonly CatalogLayer[],
  names: AndroidNames,
  { requested, present = [] }: ActivationRequest,
): Activation {
  const byName = new Map(layers.map((layer) => [layer.name, layer]));
  const active: ActiveLayer[] = [], unknown: string[] = [], findings: Finding[] = [], taken = new Set(present);
  for (const { name, by } of wantedNames(layers, names, requested)) {
    if (taken.has(name)) continue;
    taken.add(name);
    const layer = byName.get(name), isRequired = isNeeded(by, names.strict);
    if (layer) active.push({ layer, by, byItself: by === "debugSetting", isRequired });
    else findings.push(missing(name, by, isRequired));
    if (!layer && isRequired) unknown.push(name);
  }
  return { active, unknown, findings, listed: active.map(({ layer }) => layer) };
}

function wantedNames(
  layers: readonly CatalogLayer[],
  { settings, properties, strict }: AndroidNames,
  requested: readonly string[],
): Wanted[] {
  const each = (names: readonly string[], by: EnabledBy) => names.map((name): Wanted => ({ name, by }));
  return [
    ...each(settings, "debugSetting"),
    ...each(properties, "debugProperty"),
    ...each(requested, "application"),
    ...systemLayers(layers, strict).map(({ name, android }): Wanted => ({ name, by: android!.owner })),
  ];
}

/** AOSP counts the system's layers and takes that for where they end, though they begin behind all others. */
function systemLayers(layers: readonly CatalogLayer[], strict: boolean): CatalogLayer[] {
  const own = layers.filter(isOfSystem);
  return strict ? layers.slice(layers.length - own.length, own.length) : own;
}

/** Whether a layer is a part of the system that applications are not told of. */
export function isOfSystem({ android }: CatalogLayer): boolean {
  return android !== undefined && android.owner !== "application";
}

function isNeeded(by: EnabledBy, strict: boolean): boolean {
  return by === "application" || by === "debugSetting" || strict;
}

function missing(name: string, by: EnabledBy, isRequired: boolean): Finding {
  const origin = by in ORIGINS ? ORIGINS[by as keyof typeof ORIGINS] : "ppEnabledLayerNames";
  const reason = isRequired ? "so no instance can be made" : "and instances do without";
  const level = isRequired ? "error" : "warning";
  const path = name === "" ? "a name that is empty" : name;
  return { subject: "layer", path, origin, taken: false, reason: `in no library that was found, ${reason}`, level };
}
