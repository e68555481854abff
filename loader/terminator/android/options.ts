import type { AndroidRelease, WindowSystem } from "../../driver/android/options.ts";
import type { Driver } from "../../driver/interface/driver.ts";

/** Options of Android's driver level. */
export interface AndroidLevelOptions {
  /** The release of Android to follow. Default: the newest. */
  readonly release?: AndroidRelease;
  /** Restores AOSP's known defects. Default: they are mended. */
  readonly quirks?: "aosp";
  /** Returns a system property; `""` if it is not set. Default: no property is set. */
  readonly property?: (name: string) => string;
  /** The window system. Default: the driver's own, if it has one. */
  readonly windowSystem?: WindowSystem;
  /**
   * Whether VK_ANDROID_native_buffer is visible to the layers above, because
   * they have a window system. Default false.
   */
  readonly nativeBuffers?: boolean;
  /** Whether the application may be debugged. Default false. */
  readonly debuggable?: boolean;
  /**
   * Called soon afterwards, with one sentence for each thing that the level
   * changes in a call. Default: no messages.
   */
  readonly log?: (message: string) => void;
  /** Called before an instance is created while there is none. May return a driver that replaces the first one. */
  readonly successor?: () => Driver | undefined;
}
