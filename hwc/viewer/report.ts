import type { Rect } from "../types.ts";

/** A display and the frame on it, as data that JSON has. */
export interface DisplayReport {
  /** The flinger's number. */
  readonly number: number;
  /** As the panel says. */
  readonly name: string;
  /** Pixels. */
  readonly width: number;
  /** Rows. */
  readonly height: number;
  /** Hertz. */
  readonly refreshRate: number;
  /** Whether it is the internal panel, which is always there. */
  readonly isPrimary: boolean;
  /** Whether it shows pictures. */
  readonly isOn: boolean;
  /** The strategy that the frame was planned by; empty before the first. */
  readonly strategy: string;
  /** The name of the planes behind it. */
  readonly model: string;
  /** These planes, from the bottom. */
  readonly planes: readonly DisplayPlane[];
  /** Layers from the top; at the end those that are not seen, such as hidden ones. */
  readonly layers: readonly DisplayLayer[];
  /** Pixels that the client draws for the frame. */
  readonly gpuWork: number;
  /** Pixels that it would draw without planes. */
  readonly totalWork: number;
  /** What the display has done. */
  readonly counts: DisplayCounts;
  /** The times of its last frames, 120 at most. */
  readonly frames: readonly FrameTimes[];
}

/** A plane, and what it shows. */
export interface DisplayPlane {
  /** Its name. */
  readonly name: string;
  /** A layer's name, `client target`, or nothing. */
  readonly shows: string | null;
}

/** A layer, seen or not. */
export interface DisplayLayer {
  /** A number that no other layer of this watch has. */
  readonly id: number;
  /** Its name. */
  readonly name: string;
  /** Whether it is hidden. */
  readonly isHidden: boolean;
  /** Where it is on the display; `null` when it is not seen. */
  readonly frame: Rect | null;
  /** Who composes it: a name of COMPOSITION; `null` when it is not seen. */
  readonly composition: string | null;
  /** The plane that shows it. */
  readonly plane: string | null;
  /** Why, in a sentence that begins small. */
  readonly reason: string;
  /** What each plane says against it. */
  readonly refusals: readonly { readonly plane: string; readonly why: string | null }[];
}

/** What a display has done. */
export interface DisplayCounts {
  /** Frames presented. */
  readonly presented: number;
  /** Frames that appeared. */
  readonly shown: number;
  /** Frames that later ones overtook. */
  readonly overtaken: number;
  /** How often the layers were flattened because nothing changed. */
  readonly flattened: number;
  /** Frames of which the client composed something. */
  readonly clientFrames: number;
}

/** A frame's times: milliseconds of the composer's clock since the first frame that was seen. */
export interface FrameTimes {
  /** Counts the display's frames. */
  readonly number: number;
  /** What producers drew for it: when they queued it, and when its acquire fence signalled, by the clock of the machine. */
  readonly acquired: readonly { readonly layer: string; readonly queued: number; readonly drawn: number }[];
  /** When it was presented. */
  readonly presented: number;
  /** When the fences had signalled that the composer had to wait for. */
  readonly ready: number;
  /** The vsync at which it appeared. */
  readonly shown: number;
}
