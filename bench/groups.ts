import type { Figure } from "./figure.ts";
import type { Parts } from "./parts.ts";

/** Measures a group. */
type Measure = (parts: Parts) => Promise<Figure[]>;

/**
 * Everything that can be measured, by the names that people type: each group's figures come from one measurement. A
 * group's module is read when the group is measured, so that a machine need only have that group's parts.
 */
export const GROUPS: ReadonlyMap<string, Measure> = new Map<string, Measure>([
  ["calls", async (parts) => (await import("./figures/call.ts")).callFigures(parts)],
  ["layers", async (parts) => (await import("./figures/layers.ts")).layerFigures(parts)],
  ["recording", async (parts) => (await import("./figures/frame.ts")).frameFigures(parts)],
  ["dispatch tables", async (parts) => (await import("./figures/table.ts")).tableFigures(parts)],
  ["names", async (parts) => (await import("./figures/get_proc_addr.ts")).getProcAddrFigures(parts)],
  ["structs", async (parts) => (await import("./figures/structs.ts")).structFigures(parts)],
  ["frames", async (parts) => (await import("./figures/present.ts")).presentFigures(parts)],
  ["start-up", async (parts) => (await import("./figures/startup.ts")).startupFigures(parts)],
  ["front door", async (parts) => (await import("./figures/front_door.ts")).frontDoorFigures(parts)],
  ["OpenGL ES", async (parts) => (await import("./figures/gl.ts")).glFigures(parts)],
  ["composition", async (parts) => (await import("./figures/compose.ts")).composeFigures(parts)],
  ["planes", async () => (await import("./figures/planes.ts")).planeFigures()],
  ["planes of a card", async () => (await import("./figures/kms.ts")).kmsFigures()],
  ["composers in other processes", async () => (await import("./figures/remote.ts")).remoteFigures()],
  ["layers in other processes", async () => (await import("./figures/layer_server.ts")).layerServerFigures()],
  ["queue", async () => (await import("./figures/queue.ts")).queueFigures()],
  ["recordings", async (parts) => (await import("./figures/recordings.ts")).recordingFigures(parts)],
  ["comparing", async (parts) => (await import("./figures/compare.ts")).compareFigures(parts)],
  ["growth", async (parts) => (await import("./figures/growth.ts")).growthFigures(parts)],
]);
