/** Byte offsets in `VkPhysicalDeviceGroupProperties`, the one struct the terminators look into. */
export const GROUP = {
  /** `physicalDeviceCount` */
  count: 16,
  /** `physicalDevices` */
  handles: 24,
  /** Bytes of the whole struct. */
  size: 288,
} as const;
