import type { Driver } from "../../driver/driver.ts";

/** A release of Android whose loader is followed: its major version. */
export type AndroidRelease = 14 | 15 | 16 | 17;

/** The release that is followed when none is named: the newest. */
export const NEWEST_RELEASE: AndroidRelease = 17;

/**
 * What draws into windows: the addresses of its commands by name, such as
 * `vkCreateSwapchainKHR`. Native code may call them on any thread. Extensions
 * are offered as far as all their commands are here.
 */
export type WindowSystem = Readonly<Record<string, bigint>>;

/** What Android's driver level goes by. */
export interface AndroidLevelOptions {
  /** The release of Android to follow. Default: {@linkcode NEWEST_RELEASE}. */
  readonly release?: AndroidRelease;
  /** Bring AOSP's known oddities back. Default: they are mended. */
  readonly quirks?: "aosp";
  /** A system property; `""` when it is not set. Default: none is. */
  readonly property?: (name: string) => string;
  /** What draws into windows. Default: whatever the driver itself has. */
  readonly windowSystem?: WindowSystem;
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
