import type { DisplayReport } from "../../hwc/mod.ts";
import { composedFrame, shareText } from "./composed_frame.ts";

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
export function textReporter(print: (text: string) => void, warn = print): Reporter {
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
export function jsonReporter(print: (text: string) => void, warn = print): Reporter {
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
