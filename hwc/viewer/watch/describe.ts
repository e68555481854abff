import { POWER_MODE } from "../../device_types.ts";
import type { DisplayInfo } from "../../flinger/options.ts";
import type { SurfaceLayer } from "../../flinger/layers/surface_layer.ts";
import type { ReferenceComposer, ShownFrame } from "../../core/controls.ts";
import { COMPOSITION } from "../../types.ts";
import type { PanelRecord } from "./panel_record.ts";
import type { DisplayLayer, DisplayPlane, DisplayReport } from "./report.ts";

/** A display and its layers. */
export interface Described {
  readonly composer: ReferenceComposer;
  /** All layers. */
  readonly layers: readonly SurfaceLayer[];
  /** A number for a layer, the same for the layer's life. */
  idOf(layer: SurfaceLayer): number;
}

/** Describes a display as it is now. */
export function describeDisplay(about: Described, info: DisplayInfo, record: PanelRecord): DisplayReport {
  const { composer } = about, { handle, shown: frame } = record, { planes, name: model } = composer.planes(handle);
  const { presented, shown, overtaken, flattened } = composer.statistics(handle);
  const { display: number, name, width, height, isPrimary, power, clientFrames } = info;
  return {
    ...{ number, name, width, height, isPrimary, isOn: power !== POWER_MODE.OFF },
    refreshRate: 1e9 / composer.getDisplayVsyncPeriod(handle),
    strategy: frame?.plan.strategy ?? "",
    model,
    planes: describePlanes(planes, frame, record),
    layers: describeLayers(about, info, frame, record),
    gpuWork: frame?.plan.gpuWork ?? 0,
    totalWork: frame?.plan.totalWork ?? 0,
    counts: { presented, shown, overtaken, flattened, clientFrames },
    frames: [...record.frames],
  };
}

function describePlanes(
  planes: readonly { readonly name: string }[],
  frame: ShownFrame | undefined,
  record: PanelRecord,
): DisplayPlane[] {
  const nameOf = (layer: number) => record.layerOf(frame!.layers[layer].handle)?.name ?? "a layer that is gone";
  const shows = new Map(
    frame?.plan.stack.map(({ plane, layer }) => {
      return [plane, layer < 0 ? "client target" : nameOf(layer)] as const;
    }),
  );
  return planes.map(({ name }) => ({ name, shows: shows.get(name) ?? null }));
}

/** From the top; those that the frame does not show at the end. */
function describeLayers(
  about: Described,
  { layerStack }: DisplayInfo,
  frame: ShownFrame | undefined,
  record: PanelRecord,
): DisplayLayer[] {
  const seen = frame ? seenLayers(about, frame, record) : new Map<SurfaceLayer, DisplayLayer>();
  const others = about.layers.filter((layer) => !seen.has(layer) && stackOf(layer) === layerStack);
  return [...seen.values(), ...others.map((layer) => unseen(about.idOf(layer), layer))];
}

function seenLayers({ idOf }: Described, frame: ShownFrame, record: PanelRecord): Map<SurfaceLayer, DisplayLayer> {
  const { layers, plan } = frame;
  const found = record.reasons.of(plan).flatMap(({ plane = null, given, reason, planes }, at) => {
    const { handle, place } = layers[at], layer = record.layerOf(handle);
    if (!layer) return [];
    const { name, state: { isHidden } } = layer, id = idOf(layer), composition = compositionName(given);
    const refusals = planes.map(({ plane, why = null }) => ({ plane, why }));
    const report = { id, name, isHidden, frame: place, composition, plane, reason, refusals };
    return [{ z: plan.decisions[at].layer.z, layer, report }];
  });
  found.sort((one, other) => other.z - one.z);
  return new Map(found.map(({ layer, report }) => [layer, report]));
}

function unseen(id: number, { name, state: { isHidden }, frameNumber, window }: SurfaceLayer): DisplayLayer {
  const waits = window !== undefined && frameNumber === undefined;
  const reason = isHidden ? "it is hidden" : waits ? "it has no frame yet" : "nothing of it is seen here";
  return { id, name, isHidden, frame: null, composition: null, plane: null, reason, refusals: [] };
}

function stackOf({ state }: SurfaceLayer): number {
  return state.parent ? stackOf(state.parent) : state.layerStack;
}

function compositionName(value: number): string {
  return Object.entries(COMPOSITION).find(([, each]) => each === value)?.[0] ?? `${value}`;
}
