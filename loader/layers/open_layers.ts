import type { Finding } from "../driver/finding.ts";
import type { Host } from "../driver/host.ts";
import type { Layer } from "../layer.ts";
import { findLayer } from "./find_layer.ts";
import { type NativeLayer, openNativeLayer } from "./native_layer.ts";

/** The layers of a loader, opened. */
export interface OpenLayers {
  /** TypeScript layers, top to bottom. */
  readonly typescript: readonly Layer[];
  /** Native layers, top to bottom. */
  readonly native: readonly NativeLayer[];
  /** What was looked at. */
  readonly findings: readonly Finding[];
}

/** Opens the layers a user named, whose libraries may stay loaded when they are closed. Throws, with everything closed again, when one cannot be used. */
export function openLayers(layers: readonly (Layer | string)[], host: Host, stays = false): OpenLayers {
  checkOrder(layers);
  const native: NativeLayer[] = [], findings: Finding[] = [];
  try {
    for (const wanted of layers.filter((layer) => typeof layer === "string")) {
      for (const found of findLayer(wanted, host)) {
        native.push(openNativeLayer({ ...found, stays }));
        checkTwice(native);
        const origin = found.manifest?.manifest ?? "layers option", reason = `named ${wanted} by the caller`;
        findings.push({ subject: "layer", path: found.library, origin, taken: true, reason });
      }
    }
  } catch (error) {
    for (const layer of native) layer.close();
    throw error;
  }
  return { typescript: layers.filter((layer) => typeof layer !== "string"), native, findings };
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

function checkOrder(layers: readonly (Layer | string)[]): void {
  let above: string | undefined;
  for (const layer of layers) {
    if (typeof layer === "string") above = layer;
    else if (above) {
      throw new TypeError(`Cannot put ${layer.name} below native layer ${above}: list TypeScript layers first`);
    }
  }
}
