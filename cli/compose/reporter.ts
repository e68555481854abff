import type { DisplayLayer, DisplayReport, FrameTimes } from "../../hwc/mod.ts";

const SECOND = 1000;

/** Prints the progress of a composition. */
export interface Reporter {
  /** A sentence. */
  say(text: string): void;
  /** Prints a sentence about a failure. */
  warn(text: string): void;
  /** The page can be opened. */
  open(url: string): void;
  /** A frame appeared on a display; the report is made when it is wanted. */
  frame(display: number, report: () => DisplayReport): void;
  /** Called at the end. */
  end(): void;
}

/** For people: a line a second. */
export function textReporter(print: (text: string) => void, warn: (text: string) => void = print): Reporter {
  const start = performance.now();
  let frames = 0, told = start, before = 0;
  return {
    say: print,
    warn,
    open: (url) => print(`Open ${url} to see the displays. Ctrl-C ends the program.`),
    frame(display, report) {
      if (display !== 0) return;
      frames++;
      const now = performance.now(), spent = now - told;
      if (spent < SECOND) return;
      print(`${((frames - before) * SECOND / spent).toFixed(1)} frames a second; ${shareText(report())}`);
      [told, before] = [now, frames];
    },
    end: () =>
      print(
        `${frames === 1 ? "1 frame" : `${frames} frames`} in ${((performance.now() - start) / SECOND).toFixed(1)} s.`,
      ),
  };
}

/** For programs: a line of JSON for everything. */
export function jsonReporter(print: (text: string) => void, warn: (text: string) => void = print): Reporter {
  const line = (data: { readonly type: string } & Record<string, unknown>) => print(JSON.stringify(data));
  let frames = 0;
  return {
    say: (text) => line({ type: "note", text }),
    warn(text) {
      line({ type: "warning", text });
      warn(text);
    },
    open: (url) => line({ type: "page", url }),
    frame(display, report) {
      if (display === 0) frames++;
      line({ ...composedFrame(report()) });
    },
    end: () => line({ type: "end", frames }),
  };
}

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
function composedFrame(report: DisplayReport): ComposedFrame {
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
function shareText({ layers, gpuWork, totalWork }: DisplayReport): string {
  const names = (by: (layer: DisplayReport["layers"][number]) => boolean) => {
    return layers.filter(by).map(({ name }) => name).join(", ") || "nothing";
  };
  const saved = totalWork === 0 ? 100 : Math.round(100 * (1 - gpuWork / totalWork));
  return `planes show ${names(({ plane }) => plane !== null)}; the client composes ${
    names(({ composition }) => composition === "CLIENT")
  } (${saved} % of its work saved)`;
}
