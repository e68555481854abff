import { type FrameConsumer, pngConsumer, videoConsumer, webViewer, x11Window } from "@pumice/gfx";
import { VK_FORMAT_B8G8R8A8_UNORM, VK_FORMAT_R8G8B8A8_UNORM, type VkFormat } from "@pumice/gfx/vk";
import type { Extent } from "../draw/resources.ts";

/** The place that frames go to. */
export interface Showing extends AsyncDisposable {
  /** For the window. */
  readonly consumer: FrameConsumer;
  /** The format that it takes without converting. */
  readonly format: VkFormat;
  /** Whether somebody watches: then frames come at the display's pace, else as fast as may be. */
  readonly isLive: boolean;
  /** False when whoever watches has closed it. */
  readonly isOpen: boolean;
  /** Waits until somebody watches. */
  begin(): Promise<void>;
  /** A sentence at the end. */
  summary(): string;
}

/** The kinds, as they are asked for. */
export type Place =
  | { readonly kind: "x11" | "web" }
  | { readonly kind: "png"; readonly pattern: string }
  | { readonly kind: "video"; readonly path: string };

const PATIENCE = 50;
const FILES = {
  format: VK_FORMAT_R8G8B8A8_UNORM,
  isLive: false,
  isOpen: true,
  begin: () => Promise.resolve(),
};

/** Opens a place. Throws a `WsiError` that says what is missing. */
export function openShowing(place: Place, size: Extent): Showing {
  switch (place.kind) {
    case "x11":
      return onX11(size);
    case "web":
      return onWebPage();
    case "png":
      return asPictures(place.pattern);
    case "video":
      return asVideo(place.path);
  }
}

function onX11({ width, height }: Extent): Showing {
  let isOpen = true;
  const consumer = x11Window({ title: "Pumice", width, height, onClose: () => isOpen = false });
  return {
    consumer,
    format: VK_FORMAT_B8G8R8A8_UNORM,
    isLive: true,
    get isOpen() {
      return isOpen && consumer.isOpen;
    },
    begin: () => Promise.resolve(),
    summary: () => `${consumer.frames} shown, ${consumer.copies} of them copied`,
    [Symbol.asyncDispose]: () => Promise.resolve(consumer.close()),
  };
}

function onWebPage(): Showing {
  const viewer = webViewer({ title: "Pumice" });
  return {
    ...FILES,
    consumer: viewer,
    isLive: true,
    async begin() {
      console.log(`Open ${viewer.url}`);
      while (viewer.statistics().pages === 0) await new Promise((resolve) => setTimeout(resolve, PATIENCE));
    },
    summary: () => `${viewer.statistics().sent} sent to ${viewer.statistics().pages} pages`,
    [Symbol.asyncDispose]: () => viewer.close(),
  };
}

function asPictures(pattern: string): Showing {
  const consumer = pngConsumer(pattern);
  return {
    ...FILES,
    consumer,
    summary: () => `${consumer.written} pictures written as ${pattern}`,
    [Symbol.asyncDispose]: () => Promise.resolve(),
  };
}

function asVideo(path: string): Showing {
  const consumer = videoConsumer({ path });
  return {
    ...FILES,
    consumer,
    summary: () => `${consumer.written} written to ${path}`,
    [Symbol.asyncDispose]: () => consumer.finish(),
  };
}
