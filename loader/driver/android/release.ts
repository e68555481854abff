/** A release of Android to follow: its major version. */
export type AndroidRelease = 14 | 15 | 16 | 17;

/** The release to follow by default: the newest. */
export const NEWEST_RELEASE: AndroidRelease = 17;

/**
 * A window system: the addresses of its commands by name, such as
 * `vkCreateSwapchainKHR`. Native code may call them on any thread. An extension
 * is offered if all of its commands are here.
 */
export type WindowSystem = Readonly<Record<string, bigint>>;
