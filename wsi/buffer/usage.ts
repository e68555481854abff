/** Usage bits of Android's `BufferUsage` and `AHardwareBuffer`, as in a buffer's `usage`. */
export const USAGE = {
  CPU_READ_RARELY: 0x2n,
  CPU_READ_OFTEN: 0x3n,
  CPU_READ_MASK: 0xfn,
  CPU_WRITE_RARELY: 0x20n,
  CPU_WRITE_OFTEN: 0x30n,
  CPU_WRITE_MASK: 0xf0n,
  GPU_TEXTURE: 1n << 8n,
  GPU_RENDER_TARGET: 1n << 9n,
  /** gralloc 0's HW_2D; newer interfaces have no name for it. */
  HW_2D: 1n << 10n,
  COMPOSER_OVERLAY: 1n << 11n,
  COMPOSER_CLIENT_TARGET: 1n << 12n,
  PROTECTED: 1n << 14n,
  COMPOSER_CURSOR: 1n << 15n,
  VIDEO_ENCODER: 1n << 16n,
  CAMERA_OUTPUT: 1n << 17n,
  CAMERA_INPUT: 1n << 18n,
  RENDERSCRIPT: 1n << 20n,
  /** A bit of gralloc 0; newer interfaces have no name for it. */
  FOREIGN_BUFFERS: 1n << 21n,
  VIDEO_DECODER: 1n << 22n,
  SENSOR_DIRECT_DATA: 1n << 23n,
  GPU_DATA_BUFFER: 1n << 24n,
  GPU_CUBE_MAP: 1n << 25n,
  GPU_MIPMAP_COMPLETE: 1n << 26n,
  HW_IMAGE_ENCODER: 1n << 27n,
  FRONT_BUFFER: 1n << 32n,
  /**
   * Bits that Android reserves. Here they name the {@linkcode LayoutRule} that lays out the buffer. These bits never
   * leave this library.
   */
  LAYOUT_RULE_MASK: 0x7fffn << 33n,
  /** The lower group of bits with a vendor's meaning. */
  VENDOR_MASK_LOW: 0xfn << 28n,
  /** Bits with a vendor's meaning. */
  VENDOR_MASK: 0xffffn << 48n,
} as const;
