import type { EntrySource } from "../dispatch/fill.ts";
import type { EglDriverOptions, WantedEglDriver } from "../driver/options.ts";

/** The parts of an open driver that the loader needs. */
export interface UsableDriver extends EntrySource, Disposable {
  /** The file, or the soname, of the library with the EGL functions. */
  readonly path: string;
  /** Every library of the driver. */
  readonly libraries: readonly string[];
  /** The kind of the driver; see `EglDriver.kind`. */
  readonly kind: "three" | "one" | "glvnd" | "angle";
  /** Whether the driver returns an address for every name that begins with `gl`. */
  readonly answersAnyName: boolean;
  /** Client extensions for platforms that the driver leaves out of its own list. */
  readonly platformExtensions?: string;
  /** Closes the driver's libraries. */
  close(): void;
}

/** The platform of displays for drivers that do not know Android's windows. */
export interface NativePlatform {
  /** The argument of eglGetPlatformDisplay, such as EGL_PLATFORM_SURFACELESS_MESA (0x31DD). */
  readonly platform: number;
  /** The native display; 0n for the default display. */
  readonly display?: bigint;
  /** Names and values in turn, without EGL_NONE. */
  readonly attributes?: readonly (number | bigint)[];
}

/** Settings of the loader for `loadEgl`. */
export interface EglOptions extends Omit<EglDriverOptions, "driver" | "quirks"> {
  /**
   * The driver: a choice for `findEglDriver()`, or an open driver, which is closed with the loader. Default `"auto"`.
   */
  readonly driver?: UsableDriver | WantedEglDriver;
  /**
   * The driver's platform for Android's platform and for the default display. Default: Android's own platform if the
   * driver knows it; for ANGLE, SwiftShader without windows; otherwise Mesa's platform without windows. With `platform:
   * "linux"` the default display is the driver's own default if there is an X or Wayland server.
   */
  readonly native?: NativePlatform;
  /** `"aosp"` restores the listed bugs of Android's loader; see docs/internals/egl-differences.md. Default: they are mended. */
  readonly quirks?: "aosp";
  /** Whether surfaces of displays support wide color (`ro.surface_flinger.has_wide_color_display`). */
  readonly wideColor?: boolean;
  /** Whether displays support HDR (`ro.surface_flinger.has_HDR_display`). */
  readonly hdrDisplay?: boolean;
  /** Gets a sentence for each call that may be a mistake. Default: no messages. */
  readonly log?: (message: string) => void;
}
