import type { Finding } from "../../driver/report/finding.ts";
import type { Activation, ActivationRequest, ActiveLayer, CatalogLayer, EnabledBy } from "../choice/rules.ts";

/** The names that decide, beside the application's, which layers an instance gets. */
export interface AndroidNames {
  /** Layers named by the settings, top to bottom. */
  readonly settings: readonly string[];
  /** Layers named by properties, top to bottom; empty if the settings name any. */
  readonly properties: readonly string[];
  /** Whether to follow AOSP also where AOSP is broken. */
  readonly strict: boolean;
}

/** A layer name and its origin. */
interface Wanted {
  readonly name: string;
  readonly by: EnabledBy;
}

/** The origins of layer names, for error messages. */
const ORIGINS = { debugSetting: "gpu_debug_layers", debugProperty: "debug.vulkan.layers" } as const;

/**
 * Chooses the layers of an instance on Android, top to bottom: those that the
 * settings name or, if there are none, those that properties name; those that
 * the application requests; the system's own. A layer counts at its first
 * place. An unknown name fails the instance, unless a property gave the name,
 * because properties reach all applications.
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

/**
 * AOSP counts the system's layers and takes the count for the index at which
 * they end, although they follow all others.
 */
function systemLayers(layers: readonly CatalogLayer[], strict: boolean): CatalogLayer[] {
  const own = layers.filter(isOfSystem);
  return strict ? layers.slice(layers.length - own.length, own.length) : own;
}

/** Whether a layer is a part of the system that applications cannot list. */
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
