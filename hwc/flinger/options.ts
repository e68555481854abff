import { number, type OptionRules, typed, yesOrNo } from "../../ffi/check_options.ts";
import type { Window } from "../../wsi/contract/window.ts";
import type { AsyncComposer } from "../composer.ts";
import type { FlingerRelease } from "./frame/make_frame.ts";
import type { Renderer } from "./frame/frame_context.ts";

/** Settings of a {@linkcode SurfaceFlinger}. */
export interface SurfaceFlingerOptions {
  /** The hardware composer. Its methods may return Promises. The caller keeps and closes the composer. */
  readonly composer: AsyncComposer;
  /**
   * The renderer for the layers that the composer leaves to its client. The caller keeps and closes the renderer.
   * Default: a `createCpuBackend()` of the flinger's own.
   */
  readonly renderer?: Renderer;
  /** The Android release whose order of calls for several displays is followed. Default 17. */
  readonly release?: FlingerRelease;
  /** Whether a new display is turned on. Default `true`. */
  readonly powerOn?: boolean;
  /** Gets a sentence for each failure. Default: no messages. */
  readonly log?: (message: string) => void;
}

/** Settings of a virtual display. */
export interface VirtualDisplayOptions {
  /** The display's name in reports. Default `"virtual"`. */
  readonly name?: string;
  /** The window that gets the frames; no other producer may draw there. */
  readonly window: Window;
  /** Width in pixels. Default: the window's width. */
  readonly width?: number;
  /** Height in pixels. Default: the window's height. */
  readonly height?: number;
  /** The layer stack that the display shows. Default 0, the main display's. */
  readonly layerStack?: number;
  /** Whether the display may show secure layers. Default `false`. */
  readonly isSecure?: boolean;
  /**
   * Whether the composer handles the display, if the composer can. Default `true`; with `false` the client composes
   * every frame.
   */
  readonly usesComposer?: boolean;
  /**
   * Whether the composer writes the output even for frames that the client composed, which may convert RGB to an
   * encoder's format. Default `false`.
   */
  readonly copiesByHwc?: boolean;
}

/** The options of a virtual display, with the values that fit. */
export const VIRTUAL_DISPLAY_RULES: OptionRules<VirtualDisplayOptions> = {
  name: typed("a text", "string"),
  window: (value) => {
    return typeof (value as Partial<Window> | null)?.dequeueBuffer === "function" ? undefined : "a NativeWindow";
  },
  width: number,
  height: number,
  layerStack: number,
  isSecure: yesOrNo,
  usesComposer: yesOrNo,
  copiesByHwc: yesOrNo,
};

/** The state of a display for its user. */
export interface DisplayInfo {
  /** The flinger's number of the display. */
  readonly display: number;
  /** The display's name. */
  readonly name: string;
  /** Width in pixels. */
  readonly width: number;
  /** Height in pixels. */
  readonly height: number;
  /** Whether this is the primary display, which is always connected. */
  readonly isPrimary: boolean;
  /** Whether the display writes to a window. */
  readonly isVirtual: boolean;
  /** POWER_MODE */
  readonly power: number;
  /** The layer stack that the display shows. */
  readonly layerStack: number;
  /** For a virtual display, the writer of the last frame. */
  readonly mode: "GLES" | "MIXED" | "HWC" | undefined;
  /** The composer's handle; `undefined` if the composer does not handle the display. */
  readonly handle: bigint | undefined;
  /** Number of frames presented. */
  readonly frames: number;
  /** Number of these frames that were presented without a validation. */
  readonly skippedValidate: number;
  /** Number of these frames in which the client composed a layer. */
  readonly clientFrames: number;
  /** Number of frames that failed. */
  readonly failed: number;
  /** Number of the display's pixels that the client drew. */
  readonly clientPixels: number;
  /** Number of pixels that the client kept from earlier frames instead of drawing them again. */
  readonly savedPixels: number;
  /** Name and COMPOSITION of each layer of the last frame, from the bottom. */
  readonly layers: readonly { readonly name: string; readonly composition: number }[];
}

/** Counters of a flinger. */
export interface FlingerStatistics {
  /** Number of vsyncs with work to do. */
  readonly wakes: number;
  /** Number of vsyncs received, including those that only waited for frames. */
  readonly vsyncs: number;
  /** Number of frames taken from layers' producers. */
  readonly latched: number;
  /** Number of wakes without work, because displays still had two frames to show. */
  readonly missed: number;
  /** Number of messages that `log` did not take, because it threw. */
  readonly unsaid: number;
}
