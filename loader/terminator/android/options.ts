import type { AndroidRelease, WindowSystem } from "../../driver/android/release.ts";
import type { Driver } from "../../driver/interface/driver.ts";

/** What Android's driver level goes by. */
export interface AndroidLevelOptions {
  /** The release of Android to follow. Default: the newest. */
  readonly release?: AndroidRelease;
  /** Bring AOSP's known oddities back. Default: they are mended. */
  readonly quirks?: "aosp";
  /** A system property; `""` when it is not set. Default: none is. */
  readonly property?: (name: string) => string;
  /** What draws into windows. Default: whatever the driver itself has. */
  readonly windowSystem?: WindowSystem;
  /** Whether VK_ANDROID_native_buffer is shown to what stands above, because a window system does there. Default false. */
  readonly nativeBuffers?: boolean;
  /** Whether the application may be debugged. Default false. */
  readonly debuggable?: boolean;
  /** Told what the level does to what it is asked, one sentence a call, soon after. Default: nothing is said. */
  readonly log?: (message: string) => void;
  /** Asked before an instance is made while there is none: a driver that is to take the first one's place. */
  readonly successor?: () => Driver | undefined;
}

/** Whether a system property of Android is on, as `property_get_bool` reads it. */
export function isOn(value: string): boolean {
  return ["1", "y", "yes", "on", "true"].includes(value);
}
