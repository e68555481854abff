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

/** gralloc 1 tells producers from consumers, and says "often" with a bit of its own. */
const CPU_READ_OFTEN_1 = 0x6n, CPU_WRITE_OFTEN_1 = 0x60n;

/** The bits of gralloc 0 that each side of gralloc 1 understands. */
const PRODUCER = mask(1, 5, 9, 14, 17, 22, 23), CONSUMER = mask(1, 8, 11, 12, 15, 16, 18, 20, 23);

/**
 * Converts usage bits of gralloc 0, a signed or unsigned 32-bit number.
 *
 * @example
 * ```ts ignore
 * import { usageFromGralloc0 } from "@pumice/gfx/wsi";
 *
 * usageFromGralloc0(0x233); // 0x233n: GPU_RENDER_TARGET, CPU_READ_OFTEN, CPU_WRITE_OFTEN
 * ```
 */
export function usageFromGralloc0(bits: number): bigint {
  return BigInt(bits >>> 0);
}

/** Converts usage bits to gralloc 0, a signed 32-bit number; newer bits are left out. */
export function usageToGralloc0(usage: bigint): number {
  return Number(BigInt.asIntN(32, usage));
}

/**
 * Combines the usage bits of producer and consumer, which gralloc 1 and `vkGetSwapchainGrallocUsage2ANDROID` separate.
 */
export function usageFromProducerConsumer(producer: bigint, consumer: bigint): bigint {
  let usage = producer | consumer;
  if ((usage & CPU_READ_OFTEN_1) === CPU_READ_OFTEN_1) usage = usage & ~CPU_READ_OFTEN_1 | USAGE.CPU_READ_OFTEN;
  if ((usage & CPU_WRITE_OFTEN_1) === CPU_WRITE_OFTEN_1) usage = usage & ~CPU_WRITE_OFTEN_1 | USAGE.CPU_WRITE_OFTEN;
  return usage;
}

/** Separates usage bits into those of producer and consumer, for gralloc 1; each side gets the bits that it knows. */
export function usageToProducerConsumer(usage: bigint): { producer: bigint; consumer: bigint } {
  const readOften = (usage & USAGE.CPU_READ_OFTEN) === USAGE.CPU_READ_OFTEN ? CPU_READ_OFTEN_1 : 0n;
  const writeOften = (usage & USAGE.CPU_WRITE_OFTEN) === USAGE.CPU_WRITE_OFTEN ? CPU_WRITE_OFTEN_1 : 0n;
  return {
    producer: usage & PRODUCER | readOften | writeOften,
    consumer: usage & CONSUMER | readOften,
  };
}

function mask(...bits: number[]): bigint {
  return bits.reduce((all, bit) => all | 1n << BigInt(bit), 0n);
}
