import { type Finding, isOtherWidth, linkerWords } from "../../driver/report/finding.ts";
import type { Layer } from "../../layer.ts";
import type { LayerToOpen, NativeLayer } from "./library.ts";
import type { ActiveLayer, LayerCatalog } from "./rules.ts";
import { ENABLED_BY } from "./tell.ts";

/** TypeScript layers that stand together, and the native layers below them, both top to bottom. */
export interface OpenGroup {
  /** The TypeScript layers; only the first group may have none. */
  readonly typescript: readonly Layer[];
  /** The native layers between this group and the next. */
  readonly native: readonly NativeLayer[];
}

/** The open layers of a loader. */
export interface OpenLayers {
  /** The layers by groups, top to bottom; at least one group. */
  readonly groups: readonly OpenGroup[];
  /** All layers, top to bottom. */
  readonly all: readonly (Layer | NativeLayer)[];
  /** The native layers, top to bottom. */
  readonly native: readonly NativeLayer[];
  /** The findings. */
  readonly findings: readonly Finding[];
}

/** The means to find and open native layers. */
export interface LayerOpening {
  /** Finds a named native layer; for a meta-layer, its components. Throws if there is none. */
  find(wanted: string): LayerToOpen[];
  /** Opens a layer that was found. */
  open(layer: LayerToOpen): NativeLayer;
}

/**
 * Opens the layers that a user named. If one cannot be used, closes everything
 * again and throws.
 */
export function openLayers(layers: readonly (Layer | string)[], opening: LayerOpening): OpenLayers {
  const native: NativeLayer[] = [], findings: Finding[] = [], groups = [newGroup()];
  const all: (Layer | NativeLayer)[] = [];
  try {
    for (const wanted of layers) {
      if (typeof wanted === "string") {
        const opened = openNamed(wanted, opening, native, findings);
        groups.at(-1)!.native.push(...opened);
        all.push(...opened);
      } else {
        if (groups.at(-1)!.native.length > 0) groups.push(newGroup());
        groups.at(-1)!.typescript.push(wanted);
        all.push(wanted);
      }
    }
  } catch (error) {
    for (const layer of native) layer.close();
    throw error;
  }
  return { groups, all, native, findings };
}

/** Opens the layers of a name and adds them to the open ones. */
function openNamed(wanted: string, opening: LayerOpening, native: NativeLayer[], findings: Finding[]) {
  return opening.find(wanted).map((found) => {
    const layer = opening.open(found);
    native.push(layer);
    checkTwice(native);
    const origin = found.manifest?.manifest ?? "layers option", reason = `named ${wanted} by the caller`;
    findings.push({ subject: "layer", path: found.library, origin, taken: true, reason });
    return layer;
  });
}

function newGroup(): { typescript: Layer[]; native: NativeLayer[] } {
  return { typescript: [], native: [] };
}

/** A layer below itself would call itself for ever, because it stores only one next function. */
function checkTwice(native: readonly NativeLayer[]): void {
  const last = native.at(-1)!;
  const same = native.find((each) => each.getInstanceProcAddr === last.getInstanceProcAddr)!;
  if (same === last) return;
  throw new TypeError(
    `Cannot put native layer ${last.name} in the chain twice: it is there as ${same.name}; name it once`,
  );
}

/** The result of opening an instance's layers. */
export interface OpenedLayers {
  /**
   * The layers that could be opened, top to bottom. The caller closes them.
   * `undefined` if a required one cannot be opened.
   */
  readonly layers: readonly NativeLayer[] | undefined;
  /** The result for each. */
  readonly findings: readonly Finding[];
}

/**
 * Opens the layers of an instance. A layer that the application or a setting of
 * Android requested must open; the others are optional. `present` are the
 * layers that are in the chain already: a layer below itself would call itself
 * for ever.
 */
export function openInstanceLayers(
  catalog: LayerCatalog,
  active: readonly ActiveLayer[],
  present: readonly NativeLayer[],
  how: Pick<LayerToOpen, "quiet" | "stays">,
): OpenedLayers {
  const layers: NativeLayer[] = [], findings: Finding[] = [];
  for (const each of active) {
    const { layer, by, isRequired = by === "application" } = each;
    const finding = { subject: "layer", path: layer.library, origin: layer.manifest } as const;
    try {
      const { name, library } = layer, opened = catalog.open(each, how);
      const twin = sameAs(opened, [...present, ...layers]);
      if (twin) opened.close();
      else layers.push(opened);
      const reason = twin ? `in the chain already, as ${twin.name}` : `${name}, enabled by: ${ENABLED_BY[by]}`;
      const message = twin ? {} : {
        details: `Loading layer library ${library}`,
        message: `Insert instance layer "${name}" (${library})`,
      };
      findings.push({ ...finding, taken: !twin, reason, ...message });
    } catch (error) {
      const reason = `${layer.name}, enabled by: ${ENABLED_BY[by]}: ${(error as Error).message}`;
      const fault = isOtherWidth(reason) ? "was wrong bit-type" : "failed to load";
      const message = `Requested layer "${layer.name}" ${fault}${isRequired ? "!" : "."}`;
      const loud = isRequired ? { level: "error" } as const : { level: "warning", messageLevel: "info" } as const;
      findings.push({ ...finding, taken: false, reason, ...loud, ...linkerWords(error), message });
      if (!isRequired) continue;
      layers.forEach((each) => each.close());
      return { layers: undefined, findings };
    }
  }
  return { layers, findings };
}

function sameAs(layer: NativeLayer, others: readonly NativeLayer[]): NativeLayer | undefined {
  return others.find(({ getInstanceProcAddr }) => getInstanceProcAddr === layer.getInstanceProcAddr);
}
