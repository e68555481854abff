/** Byte offsets in `VkPhysicalDeviceGroupProperties`, which the terminators look into. */
export const GROUP = {
  /** `physicalDeviceCount` */
  count: 16,
  /** `physicalDevices` */
  handles: 24,
  /** Bytes of the whole struct. */
  size: 288,
} as const;

/**
 * Where several drivers stand behind one loader, one is a member. Its table
 * holds what machine code must know of it, then its functions.
 */
export const MEMBER = {
  /** Byte offset, in a surface of ours, of the surface the member made for it. */
  surface: 0,
  /** The member's own instance. */
  instance: 8,
  /** The first function. */
  functions: 16,
} as const;

/** A physical device of ours. Word 0 is the dispatch key. */
export const PHYSICAL_DEVICE = {
  /** Address of its member's table. */
  table: 8,
  /** The member's own handle. */
  handle: 16,
  /** Bytes in all. */
  size: 24,
} as const;

/** An instance of ours. Word 0 is the dispatch key. */
export const INSTANCE = {
  /** Address of the list of its physical devices: a 64-bit count, then handles. */
  list: 8,
  /** Bytes in all. */
  size: 16,
} as const;
