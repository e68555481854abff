import {
  offsetsOfVkDebugUtilsLabelEXT,
  offsetsOfVkDebugUtilsMessengerCallbackDataEXT,
  offsetsOfVkDebugUtilsObjectNameInfoEXT,
  offsetsOfVkPhysicalDeviceGroupProperties,
  sizeOfVkDebugUtilsMessengerCallbackDataEXT,
  sizeOfVkDebugUtilsObjectNameInfoEXT,
  sizeOfVkPhysicalDeviceGroupProperties,
  VK_MAX_DEVICE_GROUP_SIZE,
} from "../gen/native_gen.ts";
/** Places in `VkPhysicalDeviceGroupProperties` that machine code uses, in bytes. */
export const GROUP = {
  /** Offset of the chain. */
  next: offsetsOfVkPhysicalDeviceGroupProperties.pNext,
  /** Offset of the number of handles. */
  count: offsetsOfVkPhysicalDeviceGroupProperties.physicalDeviceCount,
  /** Offset of the first handle. */
  handles: offsetsOfVkPhysicalDeviceGroupProperties.physicalDevices,
  /** The most handles of a group. */
  most: VK_MAX_DEVICE_GROUP_SIZE,
  /** Offset of `subsetAllocation`. */
  subset: offsetsOfVkPhysicalDeviceGroupProperties.subsetAllocation,
  /** Bytes of the whole struct. */
  size: sizeOfVkPhysicalDeviceGroupProperties,
} as const;

/**
 * A member: one of several drivers behind one loader. Its table, whose layout is
 * ours, has the data that machine code needs, then its functions.
 */
export const MEMBER = {
  /** Byte offset, in a surface of ours, of the member's own surface. */
  surface: 0,
  /** The member's own instance. */
  instance: 8,
  /** Address of the instance of ours to which the member belongs. */
  joined: 16,
  /** Address of the member's lookup for unknown physical-device commands; 0 for none. */
  physicalDeviceProcAddr: 24,
  /** The first function. */
  functions: 32,
} as const;

/**
 * A surface of ours, in memory of the application's callbacks if there are
 * some. It begins with a VkIcdSurface, which drivers of old interfaces take for
 * the whole surface.
 */
export const SURFACE = {
  /** Address of the record. */
  record: 48,
  /** A copy of the VkAllocationCallbacks of its memory; zeros if the memory is the loader's. */
  allocator: 56,
  /** Address of the instance of ours to which it belongs. */
  instance: 104,
  /** The members' own surfaces, 8 bytes each; 0 for none. */
  own: 112,
} as const;

/** The loader's data about a surface in memory of its own, which outlives the surface. */
export const SURFACE_RECORD = {
  /** Address of the record of the instance's next surface; 0 for none. */
  next: 0,
  /** Address of the surface; 0 after it is destroyed. */
  surface: 8,
  /** Bytes in total. */
  size: 16,
} as const;

/** A physical device of ours. Word 0 is the dispatch key. */
export const PHYSICAL_DEVICE = {
  /** Address of the member's table. */
  table: 8,
  /** The member's own handle. */
  handle: 16,
  /** Bytes in total. */
  size: 24,
} as const;

/**
 * A wrapper of a physical device of the chain below, laid out as
 * {@linkcode PHYSICAL_DEVICE}, with a wrapping in place of the table.
 */
export const WRAPPER = {
  /** Address of the earlier wrapper; 0 for none. */
  next: PHYSICAL_DEVICE.size,
  /** Bytes in total. */
  size: PHYSICAL_DEVICE.size + 8,
} as const;

/**
 * The wrapping of an instance's physical devices. Its functions are where a
 * member's are, at {@linkcode MEMBER.functions}: the commands of the chain
 * below, then the commands outside the registry that were met.
 */
export const WRAPPING = {
  /** Address of the latest wrapper; 0 for none. */
  first: 0,
  /** The first word of wrappers: the dispatch key of the instance. */
  key: 8,
} as const;

/** The data of a wrapping behind its functions. */
export const BEHIND_FUNCTIONS = {
  /** calloc and free of the C library. */
  calloc: 0,
  free: 8,
  /** The chain's lookup for physical-device commands outside the registry; 0 for none. */
  lookup: 16,
  /** The chain's vkGetInstanceProcAddr. */
  getInstanceProcAddr: 24,
  /** The function that replaces a wrapper and calls the first command. Those for the others follow. */
  code: 32,
  /** Bytes in total. */
  size: 40,
} as const;

/** An instance of ours. Word 0 is the dispatch key. */
export const INSTANCE = {
  /** Address of the list of its physical devices, laid out as {@linkcode LIST}; the elements are handles. */
  list: 8,
  /** Address of the list of its groups; the elements are `VkPhysicalDeviceGroupProperties`. */
  groups: 16,
  /** The number of members' tables, 64 bits. */
  count: 24,
  /** Address of the first surface's record; 0 for none. */
  surfaces: 32,
  /** Not 0 after it is destroyed in its members. */
  gone: 40,
  /**
   * Address of what each member had listed when the lists were made:
   * {@linkcode NOT_ASKED}, or a 64-bit count and handles.
   */
  devices: 48,
  /** Addresses of the commands to call if a member lists something else now: for devices, for groups. */
  changed: 56,
  changedGroups: 64,
  /**
   * Address of the latest memory from the application's allocator, which begins
   * with the address of the memory before; 0 for none.
   */
  memory: 72,
  /** A copy of the VkAllocationCallbacks of that allocator. */
  allocator: 80,
  /** Address of the values that the watched variables had when the lists were made: texts, 0 for an unset one. */
  variables: 128,
  /**
   * Address of the groups that each member had listed when the list was made:
   * {@linkcode NOT_ASKED}, or a 64-bit count and `VkPhysicalDeviceGroupProperties`.
   */
  ownGroups: 136,
  /**
   * The devices that the latest short list of another thread left out, and all
   * devices: 32 bits each, until the loader's thread reports them; 0 for none.
   */
  trimmed: 144,
  /** The tables, one after the other. */
  tables: 152,
} as const;

/** Stands for a count: the member's devices do not matter. */
export const NOT_ASKED = 0xffff_ffff;

/** A list that is copied to native callers. */
export const LIST = {
  /** The number of elements, 64 bits. */
  count: 0,
  /** The VkResult, 32 bits. An error replaces the whole list. */
  result: 8,
  /** The first element. */
  elements: 16,
} as const;

/** A list that is copied to native callers, element by element. */
export interface NativeList {
  /** Byte offset, in the instance, of the list's address. */
  readonly list: number;
  /** Whether a caller with too little room is reported. */
  readonly isTrimmed?: boolean;
  /** Byte offset, in the instance, of the address of the command to call if the list is out of date. */
  readonly changed: number;
  /** Bytes from one element to the next, in the list and in the caller's memory. */
  readonly stride: number;
  /**
   * Offset of the first byte of an element that is copied, up to its end. The
   * bytes before are the caller's. Both are multiples of 8.
   */
  readonly from: number;
  /**
   * Byte offset, in an element, of its pNext. If that is not NULL, only the
   * members can fill the element. Absent: it has none.
   */
  readonly next?: number;
}

/** The two lists of an instance. */
export const LISTS: Readonly<Record<"listMembers" | "listGroups", NativeList>> = {
  listMembers: { list: INSTANCE.list, changed: INSTANCE.changed, stride: 8, from: 0, isTrimmed: true },
  listGroups: {
    list: INSTANCE.groups,
    changed: INSTANCE.changedGroups,
    stride: GROUP.size,
    from: GROUP.count,
    next: GROUP.next,
  },
};

const DATA = offsetsOfVkDebugUtilsMessengerCallbackDataEXT;

/** `VkDebugUtilsMessengerCallbackDataEXT`: what of it is copied, in this order, behind the struct itself. */
export const MESSAGE_DATA = {
  /** Index of the argument of a PFN_vkDebugUtilsMessengerCallbackEXT that points to the struct. */
  argument: 2,
  /** Bytes of the struct. */
  size: sizeOfVkDebugUtilsMessengerCallbackDataEXT,
  /** Byte offsets of its strings. */
  strings: [DATA.pMessageIdName, DATA.pMessage],
  /** Bytes of an element of each of its lists. */
  element: sizeOfVkDebugUtilsObjectNameInfoEXT,
  /** Byte offsets of the lists' counts and addresses, and of the string in an element. */
  lists: [
    { count: DATA.objectCount, elements: DATA.pObjects, text: offsetsOfVkDebugUtilsObjectNameInfoEXT.pObjectName },
    { count: DATA.queueLabelCount, elements: DATA.pQueueLabels, text: offsetsOfVkDebugUtilsLabelEXT.pLabelName },
    { count: DATA.cmdBufLabelCount, elements: DATA.pCmdBufLabels, text: offsetsOfVkDebugUtilsLabelEXT.pLabelName },
  ],
} as const;
