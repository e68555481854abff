import type { Figure } from "./figure.ts";
import { callFigures } from "./figures/call.ts";
import { compareFigures } from "./figures/compare.ts";
import { composeFigures } from "./figures/compose.ts";
import { elsewhereFigures } from "./figures/elsewhere.ts";
import { frameFigures } from "./figures/frame.ts";
import { frontDoorFigures } from "./figures/front_door.ts";
import { getProcAddrFigures } from "./figures/get_proc_addr.ts";
import { glFigures } from "./figures/gl.ts";
import { growthFigures } from "./figures/growth.ts";
import { kmsFigures } from "./figures/kms.ts";
import { layerFigures } from "./figures/layers.ts";
import { planeFigures } from "./figures/planes.ts";
import { presentFigures } from "./figures/present.ts";
import { queueFigures } from "./figures/queue.ts";
import { recordingFigures } from "./figures/recordings.ts";
import { remoteFigures } from "./figures/remote.ts";
import { startupFigures } from "./figures/startup.ts";
import { structFigures } from "./figures/structs.ts";
import { tableFigures } from "./figures/table.ts";
import type { Parts } from "./parts.ts";

/** Everything that can be measured, by the names that people type: each group's figures come from one measurement. */
export const GROUPS: ReadonlyMap<string, (parts: Parts) => Figure[] | Promise<Figure[]>> = new Map<
  string,
  (parts: Parts) => Figure[] | Promise<Figure[]>
>([
  ["calls", callFigures],
  ["layers", layerFigures],
  ["recording", frameFigures],
  ["dispatch tables", tableFigures],
  ["names", getProcAddrFigures],
  ["structs", structFigures],
  ["frames", presentFigures],
  ["start-up", startupFigures],
  ["front door", frontDoorFigures],
  ["OpenGL ES", glFigures],
  ["composition", composeFigures],
  ["planes", planeFigures],
  ["planes of a card", kmsFigures],
  ["composers in other processes", remoteFigures],
  ["layers in other processes", elsewhereFigures],
  ["queue", queueFigures],
  ["recordings", recordingFigures],
  ["comparing", compareFigures],
  ["growth", growthFigures],
]);
