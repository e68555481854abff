import type { Rect } from "../../types.ts";

/** A display and its frame, as data for JSON. */
export interface DisplayReport {
  /** The flinger's number of the display. */
  readonly number: number;
  /** The panel's name. */
  readonly name: string;
  /** Width in pixels. */
  readonly width: number;
  /** Height in pixels. */
  readonly height: number;
  /** Refresh rate in hertz. */
  readonly refreshRate: number;
  /** Whether this is the internal panel, which is always connected. */
  readonly isPrimary: boolean;
  /** Whether the display is on. */
  readonly isOn: boolean;
  /** The strategy that planned the frame; empty before the first frame. */
  readonly strategy: string;
  /** The name of the display's plane model. */
  readonly model: string;
  /** The planes, from the bottom. */
  readonly planes: readonly DisplayPlane[];
  /** The layers from the top; invisible layers, such as hidden ones, are last. */
  readonly layers: readonly DisplayLayer[];
  /** Number of pixels that the client draws for the frame. */
  readonly gpuWork: number;
  /** Number of pixels that the client would draw without planes. */
  readonly totalWork: number;
  /** The display's counters. */
  readonly counts: DisplayCounts;
  /** The times of the display's last frames, at most 120. */
  readonly frames: readonly FrameTimes[];
}

/** A plane and its content. */
export interface DisplayPlane {
  /** The plane's name. */
  readonly name: string;
  /** A layer's name, or `client target`; `null` for an unused plane. */
  readonly shows: string | null;
}

/** A layer, visible or not. */
export interface DisplayLayer {
  /** A number that no other layer of this watch has. */
  readonly id: number;
  /** The layer's name. */
  readonly name: string;
  /** Whether it is hidden. */
  readonly isHidden: boolean;
  /** The layer's rectangle on the display; `null` for an invisible layer. */
  readonly frame: Rect | null;
  /** The composer of the layer: a name of COMPOSITION; `null` for an invisible layer. */
  readonly composition: string | null;
  /** The plane that shows the layer; `null` if no plane does. */
  readonly plane: string | null;
  /** The reason, as a sentence with a small first letter. */
  readonly reason: string;
  /** For each plane, why the plane cannot show the layer. */
  readonly refusals: readonly { readonly plane: string; readonly why: string | null }[];
}

/** Counters of a display. */
export interface DisplayCounts {
  /** Number of frames presented. */
  readonly presented: number;
  /** Number of frames that appeared. */
  readonly shown: number;
  /** Number of frames that a later frame replaced before they appeared. */
  readonly overtaken: number;
  /** The number of times that the layers were flattened because nothing changed. */
  readonly flattened: number;
  /** Number of frames in which the client composed a layer. */
  readonly clientFrames: number;
}

/** The times of a frame, in milliseconds of the composer's clock since the first frame of the watch. */
export interface FrameTimes {
  /** Counts the display's frames. */
  readonly number: number;
  /**
   * For each producer of the frame: when the buffer was queued and when its acquire fence was signalled, by the
   * machine's clock.
   */
  readonly acquired: readonly { readonly layer: string; readonly queued: number; readonly drawn: number }[];
  /** The time at which it was presented. */
  readonly presented: number;
  /** The time at which all fences that the composer had to wait for were signalled. */
  readonly ready: number;
  /** The time of the vsync at which the frame appeared. */
  readonly shown: number;
}
