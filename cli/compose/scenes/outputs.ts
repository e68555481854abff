import type { DisplayInfo, ReferenceComposer } from "../../../hwc/mod.ts";
import { type FrameConsumer, pngConsumer, x11Window } from "../../../wsi/mod.ts";
import type { ComposeOptions } from "../options.ts";

/** Callbacks of outputs. */
export interface OutputEvents {
  /** Somebody closed the window of a display. */
  closed(display: DisplayInfo): void;
  /** A file could not be written, a server went away. */
  failed(error: unknown): void;
}

/** Shows a display where it is wanted, beside the page. The result ends that. */
export function showDisplay(
  composer: ReferenceComposer,
  display: DisplayInfo,
  { png, x11 }: ComposeOptions,
  events: OutputEvents,
): () => void {
  const { width, height, name, handle } = display, consumers: FrameConsumer[] = [];
  if (png !== undefined) consumers.push(pngConsumer(pathOf(png, display)));
  if (x11) {
    consumers.push(x11Window({ title: `${name} – Pumice`, width, height, onClose: () => events.closed(display) }));
  }
  const ends = consumers.map((consumer) => composer.showOn(handle!, consumer, (error) => events.failed(error)));
  return () => ends.forEach((end) => end());
}

/** Returns the given path for the internal panel, and a path beside it for each other panel. */
export function pathOf(path: string, { display, isPrimary }: Pick<DisplayInfo, "display" | "isPrimary">): string {
  if (isPrimary) return path;
  const name = `display-${display}`, number = /%(?:0\d+)?d/;
  if (number.test(path)) return path.replace(number, `${name}-$&`);
  return path.endsWith(".png") ? path.replace(/\.png$/, `-${name}.png`) : `${path.replace(/\/+$/, "")}/${name}`;
}
