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
  /** Address of the list of its groups of them: a 64-bit count, then `VkPhysicalDeviceGroupProperties`. */
  groups: 16,
  /** Bytes in all. */
  size: 24,
} as const;

/** A list that is copied to native callers, element by element. */
export interface NativeList {
  /** Byte offset, in the instance, of the list's address. */
  readonly list: number;
  /** Bytes from one element to the next, in the list and at the caller's. */
  readonly stride: number;
  /** The first byte of an element that is copied, up to its end; what is before it is the caller's. Both multiples of 8. */
  readonly from: number;
}

/** The two lists of an instance. */
export const LISTS: Readonly<Record<"listMembers" | "listGroups", NativeList>> = {
  listMembers: { list: INSTANCE.list, stride: 8, from: 0 },
  listGroups: { list: INSTANCE.groups, stride: GROUP.size, from: GROUP.count },
};
