import type { DisplayReport } from "../../hwc/mod.ts";

/** A frame, as `compose --json` prints it on a line. Members are only ever added. */
export interface ComposedFrame {
  readonly type: "frame";
  /** The display's number; 0 is the internal panel. */
  readonly display: number;
  /** Counts the display's frames. */
  readonly frame: number;
  /** When it was presented, when its fences had signalled, when it appeared: milliseconds. */
  readonly presented: number;
  readonly ready: number;
  readonly shown: number;
  readonly strategy: string;
  readonly model: string;
  /** Pixels that the client drew, and would have drawn without planes. */
  readonly gpuWork: number;
  readonly totalWork: number;
  /** The plane that shows what the client drew. */
  readonly target: string | null;
  /** Layers from the top. */
  readonly layers: readonly {
    readonly name: string;
    readonly composition: string;
    readonly plane: string | null;
    readonly reason: string;
    /** Left, top, right, bottom. */
    readonly frame: readonly number[];
  }[];
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

/** Who composes a display's layers, in a few words. */
export function shareText({ layers, gpuWork, totalWork }: DisplayReport): string {
  const names = (by: (layer: DisplayReport["layers"][number]) => boolean) => {
    return layers.filter(by).map(({ name }) => name).join(", ") || "nothing";
  };
  const saved = totalWork === 0 ? 100 : Math.round(100 * (1 - gpuWork / totalWork));
  return `planes show ${names(({ plane }) => plane !== null)}; the client composes ${
    names(({ composition }) => composition === "CLIENT")
  } (${saved} % of its work saved)`;
}
