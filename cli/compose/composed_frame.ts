import type { DisplayLayer, DisplayReport, FrameTimes } from "../../hwc/mod.ts";

/** A line of `compose --json`: one frame; times are milliseconds. Members are only ever added. */
export interface ComposedFrame
  extends
    Pick<DisplayReport, "strategy" | "model" | "gpuWork" | "totalWork">,
    Pick<FrameTimes, "presented" | "ready" | "shown"> {
  /** The kind of the line. */
  readonly type: "frame";
  /** The display's number; 0 is the internal panel. */
  readonly display: number;
  /** Counts the display's frames. */
  readonly frame: number;
  /** The plane that shows the client's composition. */
  readonly target: string | null;
  /** The layers from the top. */
  readonly layers: readonly ComposedLayer[];
}

/** A layer of a {@linkcode ComposedFrame}. */
export interface ComposedLayer extends Pick<DisplayLayer, "name" | "plane" | "reason"> {
  /** The composer of the layer: a name of COMPOSITION. */
  readonly composition: string;
  /** The rectangle on the display: left, top, right, bottom. */
  readonly frame: readonly number[];
}

/** The last frame of a display as data. */
export function composedFrame(report: DisplayReport): ComposedFrame {
  const { number: display, strategy, model, gpuWork, totalWork, planes, layers, frames } = report;
  const { number: frame, presented, ready, shown } = frames.at(-1)!;
  return {
    ...{ type: "frame", display, frame, presented, ready, shown, strategy, model, gpuWork, totalWork },
    target: planes.find(({ shows }) => shows === "client target")?.name ?? null,
    layers: layers.flatMap(({ name, composition, plane, reason, frame }) => {
      if (composition === null || frame === null) return [];
      const { left, top, right, bottom } = frame;
      return [{ name, composition, plane, reason, frame: [left, top, right, bottom] }];
    }),
  };
}

/** Returns who composes a display's layers, in a few words. */
export function shareText({ layers, gpuWork, totalWork }: DisplayReport): string {
  const names = (by: (layer: DisplayReport["layers"][number]) => boolean) => {
    return layers.filter(by).map(({ name }) => name).join(", ") || "nothing";
  };
  const saved = totalWork === 0 ? 100 : Math.round(100 * (1 - gpuWork / totalWork));
  return `planes show ${names(({ plane }) => plane !== null)}; the client composes ${
    names(({ composition }) => composition === "CLIENT")
  } (${saved} % of its work saved)`;
}
