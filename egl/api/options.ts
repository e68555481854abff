import type { EglDriverOptions, WantedEglDriver } from "../driver/options.ts";
import type { UsableDriver } from "./usable_driver.ts";

/** Where displays come from on machines whose drivers know no Android windows. */
export interface NativePlatform {
  /** What eglGetPlatformDisplay gets, such as EGL_PLATFORM_SURFACELESS_MESA (0x31DD). */
  readonly platform: number;
  /** The native display; 0n for the default one. */
  readonly display?: bigint;
  /** Names and values in turn, without EGL_NONE. */
  readonly attributes?: readonly (number | bigint)[];
}

/** What `loadEgl` can be told. */
export interface EglOptions extends Omit<EglDriverOptions, "driver" | "quirks"> {
  /** The driver: what `findEglDriver()` is to find, or an opened one, which is closed with the loader. Default `"auto"`. */
  readonly driver?: UsableDriver | WantedEglDriver;
  /**
   * What stands behind Android's platform and the default display. Default:
   * Android's own where the driver knows it; ANGLE on SwiftShader without
   * windows; else Mesa's platform without windows. With `platform: "linux"` the
   * default display is the driver's own default, if there is an X or Wayland server.
   */
  readonly native?: NativePlatform;
  /** `"aosp"` brings back listed bugs of Android's own loader: see docs/egl-differences.md. */
  readonly quirks?: "aosp";
  /** Whether surfaces of displays have wide color (`ro.surface_flinger.has_wide_color_display`). */
  readonly wideColor?: boolean;
  /** Whether they have HDR (`ro.surface_flinger.has_HDR_display`). */
  readonly hdr?: boolean;
  /** Told what may be a mistake; one sentence a call. Default: nobody is told. */
  readonly log?: (message: string) => void;
}
