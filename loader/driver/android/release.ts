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
