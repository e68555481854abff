import type { Finding } from "../../driver/finding.ts";
import { type ActiveLayer, ENABLED_BY } from "./choose.ts";
import { isOtherWidth } from "../../driver/other_width.ts";
import type { LayerCatalog } from "./rules.ts";
import type { LayerToOpen, NativeLayer } from "./library.ts";

/** What came of opening an instance's layers. */
export interface OpenedLayers {
  /** The layers that could be opened, top to bottom; the caller closes them. `undefined` when one that must be there cannot. */
  readonly layers: readonly NativeLayer[] | undefined;
  /** What became of each. */
  readonly findings: readonly Finding[];
}

/**
 * Opens the layers of an instance. One the application or a setting of Android's
 * asked for must open; the others are done without. `present` are the layers that are there already:
 * a layer below itself would call itself for ever.
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
      const message = twin ? {} : { message: `Insert instance layer "${name}" (${library})` };
      findings.push({ ...finding, taken: !twin, reason, ...message });
    } catch (error) {
      const reason = `${layer.name}, enabled by: ${ENABLED_BY[by]}: ${(error as Error).message}`;
      const level = isRequired ? "error" : "warning";
      const fault = isOtherWidth(reason) ? "was wrong bit-type!" : "failed to load!";
      findings.push({ ...finding, taken: false, reason, level, message: `Requested layer "${layer.name}" ${fault}` });
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
