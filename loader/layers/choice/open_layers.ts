import type { Finding } from "../../driver/finding.ts";
import type { Layer } from "../../layer.ts";
import { type LayerToOpen, type NativeLayer, openNativeLayer } from "./library.ts";

/** TypeScript layers that stand together, and the native ones below them, both top to bottom. */
export interface OpenGroup {
  /** The TypeScript layers; none only in the first group. */
  readonly typescript: readonly Layer[];
  /** The native layers between this group and the next. */
  readonly native: readonly NativeLayer[];
}

/** The layers of a loader, opened. */
export interface OpenLayers {
  /** The layers by groups, top to bottom; at least one. */
  readonly groups: readonly OpenGroup[];
  /** All of them, top to bottom. */
  readonly all: readonly (Layer | NativeLayer)[];
  /** The native ones, top to bottom. */
  readonly native: readonly NativeLayer[];
  /** What was looked at. */
  readonly findings: readonly Finding[];
}

/** Finds a native layer that was named, a meta-layer's components. */
type FindLayer = (wanted: string) => LayerToOpen[];

/** Opens the layers a user named, whose libraries may stay loaded when they are closed. Throws, with everything closed again, when one cannot be used. */
export function openLayers(layers: readonly (Layer | string)[], find: FindLayer, stays = false): OpenLayers {
  const native: NativeLayer[] = [], findings: Finding[] = [], groups = [newGroup()];
  const all: (Layer | NativeLayer)[] = [];
  try {
    for (const wanted of layers) {
      if (typeof wanted === "string") {
        const opened = openNamed(wanted, find, stays, native, findings);
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

/** Opens what a name stands for, adding it to those that are open. */
function openNamed(wanted: string, find: FindLayer, stays: boolean, open: NativeLayer[], findings: Finding[]) {
  return find(wanted).map((found) => {
    const layer = openNativeLayer({ ...found, stays });
    open.push(layer);
    checkTwice(open);
    const origin = found.manifest?.manifest ?? "layers option", reason = `named ${wanted} by the caller`;
    findings.push({ subject: "layer", path: found.library, origin, taken: true, reason });
    return layer;
  });
}

function newGroup(): { typescript: Layer[]; native: NativeLayer[] } {
  return { typescript: [], native: [] };
}

/** A layer below itself would call itself for ever: it has one idea of what lies below. */
function checkTwice(native: readonly NativeLayer[]): void {
  const last = native.at(-1)!;
  const same = native.find((each) => each.getInstanceProcAddr === last.getInstanceProcAddr)!;
  if (same === last) return;
  throw new TypeError(
    `Cannot put native layer ${last.name} in the chain twice: it is there as ${same.name}; name it once`,
  );
}
