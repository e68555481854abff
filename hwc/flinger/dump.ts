import { COMPOSITION } from "../types.ts";
import { POWER_MODE } from "../device_types.ts";
import type { FlingerDisplay } from "./displays/display.ts";
import type { FlingerLayer } from "./layers/flinger_layer.ts";
import type { DisplayInfo, FlingerStatistics } from "./options.ts";

/** A display, as its user has it. */
export function describeDisplay(display: FlingerDisplay, number: number): DisplayInfo {
  const { name, screen, isPrimary, output, power, layerStack, mode, id, counts, stack, hwcLayers } = display;
  return {
    display: number,
    name,
    width: screen.right,
    height: screen.bottom,
    isPrimary,
    isVirtual: output !== undefined,
    power,
    layerStack,
    mode: output && mode,
    handle: id,
    ...counts,
    layers: stack.map(({ layer }) => ({
      name: layer.name,
      composition: hwcLayers.get(layer)?.type ?? COMPOSITION.CLIENT,
    })),
  };
}

/** Returns a text that describes a flinger's state, in the style of `dumpsys SurfaceFlinger`. */
export function dumpText(
  displays: readonly (readonly [number, FlingerDisplay])[],
  layers: readonly FlingerLayer[],
  { wakes, vsyncs, latched, missed }: FlingerStatistics,
  settings: readonly string[],
): string {
  return [
    `SurfaceFlinger: ${settings.join(", ")}`,
    `  ${wakes} wakes at ${vsyncs} vsyncs, ${latched} frames latched, ${missed} frames missed`,
    `Displays (${displays.length})`,
    ...displays.flatMap(([number, display]) => displayLines(display, number)),
    `Layers (${layers.length})`,
    ...layers.map(layerLine),
    "",
  ].join("\n");
}

function displayLines(display: FlingerDisplay, number: number): string[] {
  const info = describeDisplay(display, number), { counts, targets, pending } = display;
  const kind = info.isVirtual ? `virtual, ${info.mode} mode` : info.isPrimary ? "primary" : "external";
  const composer = info.handle === undefined ? "unknown to the composer" : `handle ${info.handle}`;
  return [
    `+ Display ${number} "${info.name}" (${kind}, ${composer}): ${info.width} x ${info.height}, ` +
    `layer stack ${info.layerStack}, power ${nameIn(POWER_MODE, info.power)}`,
    `    ${counts.frames} frames (${counts.clientFrames} with client composition, ${counts.skippedValidate} not ` +
    `validated, ${counts.failed} failed), ${pending} pending, ${targets.count} client targets`,
    `    ${counts.clientPixels} pixels drawn by the client, ${counts.savedPixels} kept of earlier frames`,
    ...display.stack.map(({ shown }, at) => {
      const { left, top, right, bottom } = shown.displayFrame, crop = shown.sourceCrop;
      return `    ${nameIn(COMPOSITION, info.layers[at].composition).padEnd(12)} "${shown.name}" z=${shown.z} ` +
        `[${left}, ${top}, ${right}, ${bottom}] from [${crop.left}, ${crop.top}, ${crop.right}, ${crop.bottom}] ` +
        `blend=${shown.blend} alpha=${shown.planeAlpha} transform=${shown.transform}`;
    }),
  ];
}

function layerLine({ name, state, frame, isWaiting }: FlingerLayer): string {
  const parent = state.parent ? ` in "${state.parent.name}"` : "", hidden = state.isHidden ? ", hidden" : "";
  const shows = frame
    ? `frame ${frame.number} in buffer ${frame.buffer.id}, ${frame.buffer.width} x ${frame.buffer.height}`
    : state.color
    ? "a colour"
    : "nothing";
  return `+ "${name}"${parent}: z=${state.z}, layer stack ${state.layerStack}${hidden}, shows ${shows}` +
    (isWaiting ? ", another frame waits" : "");
}

function nameIn(names: Readonly<Record<string, number>>, value: number): string {
  return Object.entries(names).find(([, each]) => each === value)?.[0] ?? String(value);
}
