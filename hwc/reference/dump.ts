import { planText } from "../planes/frame_plan.ts";
import { type Device, hex } from "./device.ts";
import { nameOf } from "./display_calls.ts";
import type { Display } from "./display.ts";

/** What a device does, for people: a part for every display. */
export function dumpText(device: Device): string {
  const displays = [...device.displays.values()].map(displayText);
  return ["Pumice reference composer", ...displays].join("\n\n") + "\n";
}

function displayText(display: Display): string {
  const { mode, plan, counts, model, powerMode, state, virtual, colorMode, layers } = display;
  const efficiency = counts.totalWork === 0 ? 100 : Math.round(100 * (1 - counts.gpuWork / counts.totalWork));
  const lines = [
    `${virtual ? "Virtual display" : "Display"} ${hex(display.id)} "${
      nameOf(display)
    }": ${mode.width} x ${mode.height} at ${mode.refreshRate} Hz`,
    `  power mode ${powerMode}, colour mode ${colorMode}, planes ${model.name}, frame ${state}, ${layers.size} layers`,
    `  validated ${counts.validated}, presented ${counts.presented}, flattened ${counts.flattened}, GPU work saved ${efficiency} %`,
  ];
  if (display.physical) lines.push(`  ${scanoutText(display)}`);
  return plan ? [...lines, `  ${planText(plan).replaceAll("\n", "\n  ")}`].join("\n") : lines.join("\n");
}

function scanoutText({ physical }: Display): string {
  const { counts: { shown, dropped, timedOut }, pending } = physical!.scanout;
  return `shown ${shown}, overtaken ${dropped}, fences given up ${timedOut}, waiting ${pending}`;
}
