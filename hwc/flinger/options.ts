import { number, object, type OptionRules, typed, yesOrNo } from "../../ffi/check_options.ts";
import type { Window } from "../../wsi/contract/window.ts";
import type { AsyncComposer } from "../composer.ts";
import type { FlingerRelease } from "./make_frame.ts";
import type { Renderer } from "./renderer.ts";

/** Settings of a {@linkcode SurfaceFlinger}. */
export interface SurfaceFlingerOptions {
  /** The hardware composer, which stays the caller's. It may answer by Promises. */
  readonly composer: AsyncComposer;
  /** What composes the layers that the composer leaves to its client; stays the caller's. Default: a `createCpuBackend()` of its own. */
  readonly renderer?: Renderer;
  /** The Android release whose order of calls is followed where there are several displays. Default: 17. */
  readonly release?: FlingerRelease;
  /** Whether displays are turned on when they come. Default `true`. */
  readonly powerOn?: boolean;
  /** Gets sentences about what goes wrong. Default: nobody. */
  readonly log?: (message: string) => void;
}

/** Settings of a virtual display. */
export interface VirtualDisplayOptions {
  /** For reports. Default `"virtual"`. */
  readonly name?: string;
  /** Where its frames go; nobody else may draw there. */
  readonly window: Window;
  /** Pixels. Default: the window's. */
  readonly width?: number;
  /** Rows. Default: the window's. */
  readonly height?: number;
  /** Whose layers it shows. Default 0: those of the main display. */
  readonly layerStack?: number;
  /** Whether it may show secure layers. Default `false`. */
  readonly isSecure?: boolean;
  /** Whether the composer knows of it, if it can. Default `true`; `false`: the client composes it. */
  readonly usesComposer?: boolean;
  /** Whether the composer writes the output also of frames that the client composed, which may turn RGB into what an encoder wants. Default `false`. */
  readonly copiesByHwc?: boolean;
}

/** Which options of a virtual display there are, and what fits. */
export const VIRTUAL_DISPLAY_RULES: OptionRules<VirtualDisplayOptions> = {
  name: typed("a text", "string"),
  window: object("a window that nobody draws into"),
  width: number,
  height: number,
  layerStack: number,
  isSecure: yesOrNo,
  usesComposer: yesOrNo,
  copiesByHwc: yesOrNo,
};

/** A display, as its user has it. */
export interface DisplayInfo {
  /** The flinger's own number. */
  readonly display: number;
  /** Its name. */
  readonly name: string;
  /** Pixels. */
  readonly width: number;
  /** Rows. */
  readonly height: number;
  /** Whether it is the one that is always there. */
  readonly isPrimary: boolean;
  /** Whether it writes to a window. */
  readonly isVirtual: boolean;
  /** POWER_MODE */
  readonly power: number;
  /** Whose layers it shows. */
  readonly layerStack: number;
  /** Who writes the last frame, of a virtual display. */
  readonly mode: "GLES" | "MIXED" | "HWC" | undefined;
  /** The composer's handle, if it knows it. */
  readonly handle: bigint | undefined;
  /** Frames presented. */
  readonly frames: number;
  /** Of these, presented without a validation. */
  readonly skippedValidate: number;
  /** Of these, such as the client composed something of. */
  readonly clientFrames: number;
  /** Frames that did not come about. */
  readonly failed: number;
  /** Pixels of the display that the client drew. */
  readonly clientPixels: number;
  /** Pixels that it did not have to draw again, for they were there from earlier frames. */
  readonly savedPixels: number;
  /** By layer of the last frame, from the bottom: its name and COMPOSITION. */
  readonly layers: readonly { readonly name: string; readonly composition: number }[];
}

/** What a flinger has done. */
export interface FlingerStatistics {
  /** Vsyncs at which there was something to do. */
  readonly wakes: number;
  /** Vsyncs that came, also while frames were only waited for. */
  readonly vsyncs: number;
  /** Frames of layers taken. */
  readonly latched: number;
  /** Wakes that did nothing, for displays still had two frames to show. */
  readonly missed: number;
}
