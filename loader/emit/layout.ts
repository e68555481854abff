/** Byte offsets in `VkPhysicalDeviceGroupProperties`, which the terminators look into. */
export const GROUP = {
  /** `pNext` */
  next: 8,
  /** `physicalDeviceCount` */
  count: 16,
  /** `physicalDevices` */
  handles: 24,
  /** The most handles there are: VK_MAX_DEVICE_GROUP_SIZE. */
  most: 32,
  /** `subsetAllocation` */
  subset: 280,
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
  /** Address of the instance of ours that it is a member of. */
  joined: 16,
  /** Address of the member's lookup for physical-device commands that nobody knows; 0 for none. */
  physicalDeviceProcAddr: 24,
  /** The first function. */
  functions: 32,
} as const;

/** VkAllocationCallbacks: its bytes, and where its members are. */
export const ALLOCATOR = { size: 48, userData: 0, allocation: 8, free: 24 } as const;

/**
 * A surface of ours, in the memory of the application's callbacks if it gave some: first what drivers of old interfaces
 * take for the whole, a VkIcdSurface.
 */
export const SURFACE = {
  /** Address of its record. */
  record: 48,
  /** A copy of the callbacks that its memory came from, VkAllocationCallbacks; zeros where it is the loader's. */
  allocator: 56,
  /** Address of the instance of ours that it is of. */
  instance: 104,
  /** The surfaces the members made for it, 8 bytes each; 0 for none. */
  own: 112,
} as const;

/** What the loader keeps of a surface in memory of its own, which outlives the surface. */
export const SURFACE_RECORD = {
  /** Address of the record of the instance's next surface; 0 for none. */
  next: 0,
  /** Address of the surface; 0 once it is destroyed. */
  surface: 8,
  /** Bytes in total. */
  size: 16,
} as const;

/** A physical device of ours. Word 0 is the dispatch key. */
export const PHYSICAL_DEVICE = {
  /** Address of its member's table. */
  table: 8,
  /** The member's own handle. */
  handle: 16,
  /** Bytes in total. */
  size: 24,
} as const;

/** A physical device that stands for one of the chain below: laid out as {@linkcode PHYSICAL_DEVICE}, with a wrapping for its table. */
export const WRAPPER = {
  /** Address of the wrapper made before; 0 for none. */
  next: PHYSICAL_DEVICE.size,
  /** Bytes in total. */
  size: PHYSICAL_DEVICE.size + 8,
} as const;

/**
 * What an instance wraps physical devices by. Its functions lie where a member
 * has them, at {@linkcode MEMBER.functions}: the commands of the chain below,
 * then those met that the registry does not know.
 */
export const WRAPPING = {
  /** Address of the wrapper made last; 0 for none. */
  first: 0,
  /** What wrappers begin with: the dispatch key of the instance. */
  key: 8,
} as const;

/** What a wrapping has behind its functions. */
export const BEHIND_FUNCTIONS = {
  /** calloc and free of the C library. */
  calloc: 0,
  free: 8,
  /** The chain's lookup for physical-device commands that the registry does not know; 0 for none. */
  lookup: 16,
  /** The chain's vkGetInstanceProcAddr. */
  getInstanceProcAddr: 24,
  /** The function that exchanges a wrapper and goes on to the first command; the others follow. */
  code: 32,
  /** Bytes in total. */
  size: 40,
} as const;

/** An instance of ours. Word 0 is the dispatch key. */
export const INSTANCE = {
  /** Address of the list of its physical devices, laid out as {@linkcode LIST}, with handles for elements. */
  list: 8,
  /** Address of the list of its groups of them, whose elements are `VkPhysicalDeviceGroupProperties`. */
  groups: 16,
  /** How many members' tables there are, 64 bits. */
  count: 24,
  /** Address of the record of its first surface; 0 for none. */
  surfaces: 32,
  /** Not 0 once it is destroyed in its members. */
  gone: 40,
  /** Address of what each member listed when the lists were made: {@linkcode NOT_ASKED}, or a 64-bit count and handles. */
  devices: 48,
  /** Addresses of the commands to go on to when a member lists something else now: for devices, for groups. */
  changed: 56,
  changedGroups: 64,
  /** Address of what was last taken from the application's allocator, which begins with that of what was taken before; 0 for none. */
  memory: 72,
  /** A copy of that allocator, VkAllocationCallbacks. */
  allocator: 80,
  /** The tables, one after the other. */
  tables: 128,
} as const;

/** In the place of a count: the member's devices do not matter. */
export const NOT_ASKED = 0xffff_ffff;

/** What is copied to native callers that list something. */
export const LIST = {
  /** How many elements, 64 bits. */
  count: 0,
  /** The VkResult, 32 bits: an error stands for the whole list. */
  result: 8,
  /** The first element. */
  elements: 16,
} as const;

/** A list that is copied to native callers, element by element. */
export interface NativeList {
  /** Byte offset, in the instance, of the list's address. */
  readonly list: number;
  /** Byte offset, in the instance, of the address of the command to go on to when the list is out of date. */
  readonly changed: number;
  /** Bytes from one element to the next, in the list and at the caller's. */
  readonly stride: number;
  /** The first byte of an element that is copied, up to its end; what is before it is the caller's. Both multiples of 8. */
  readonly from: number;
  /** Byte offset, in an element, of its pNext: with something there, only the members can fill the element. Absent: it has none. */
  readonly next?: number;
}

/** The two lists of an instance. */
export const LISTS: Readonly<Record<"listMembers" | "listGroups", NativeList>> = {
  listMembers: { list: INSTANCE.list, changed: INSTANCE.changed, stride: 8, from: 0 },
  listGroups: {
    list: INSTANCE.groups,
    changed: INSTANCE.changedGroups,
    stride: GROUP.size,
    from: GROUP.count,
    next: GROUP.next,
  },
};

/** `VkDebugUtilsMessengerCallbackDataEXT`: what of it is copied, in this order, behind the struct itself. */
export const MESSAGE_DATA = {
  /** Which argument of a PFN_vkDebugUtilsMessengerCallbackEXT points to the struct. */
  argument: 2,
  /** Bytes of the struct. */
  size: 96,
  /** Byte offsets of its strings: `pMessageIdName`, `pMessage`. */
  strings: [24, 40],
  /** Bytes of an element of any of its lists. */
  element: 40,
  /** Byte offsets of the lists' counts and addresses, and of the string in an element: `pObjects`, `pQueueLabels`, `pCmdBufLabels`. */
  lists: [
    { count: 80, elements: 88, text: 32 },
    { count: 48, elements: 56, text: 16 },
    { count: 64, elements: 72, text: 16 },
  ],
} as const;
