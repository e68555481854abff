/** Usage bits of Android's `BufferUsage` and `AHardwareBuffer`, as in a buffer's `usage`. */
export const USAGE = {
  CPU_READ_RARELY: 0x2n,
  CPU_READ_OFTEN: 0x3n,
  CPU_READ_MASK: 0xfn,
  CPU_WRITE_RARELY: 0x20n,
  CPU_WRITE_OFTEN: 0x30n,
  CPU_WRITE_MASK: 0xf0n,
  GPU_TEXTURE: 0x100n,
  GPU_RENDER_TARGET: 0x200n,
  /** gralloc 0's HW_2D; newer interfaces have no name for it. */
  HW_2D: 0x400n,
  COMPOSER_OVERLAY: 0x800n,
  COMPOSER_CLIENT_TARGET: 0x1000n,
  PROTECTED: 0x4000n,
  COMPOSER_CURSOR: 0x8000n,
  VIDEO_ENCODER: 0x1_0000n,
  CAMERA_OUTPUT: 0x2_0000n,
  CAMERA_INPUT: 0x4_0000n,
  RENDERSCRIPT: 0x10_0000n,
  /** A bit of gralloc 0; newer interfaces have no name for it. */
  FOREIGN_BUFFERS: 0x20_0000n,
  VIDEO_DECODER: 0x40_0000n,
  SENSOR_DIRECT_DATA: 0x80_0000n,
  GPU_DATA_BUFFER: 0x100_0000n,
  GPU_CUBE_MAP: 0x200_0000n,
  GPU_MIPMAP_COMPLETE: 0x400_0000n,
  HW_IMAGE_ENCODER: 0x800_0000n,
  FRONT_BUFFER: 0x1_0000_0000n,
  /**
   * Bits that Android reserves. Here they name the {@linkcode LayoutRule} that lays out the buffer. These bits never
   * leave this library.
   */
  LAYOUT_RULE_MASK: 0xfffe_0000_0000n,
  /** The lower group of bits with a vendor's meaning. */
  VENDOR_MASK_LOW: 0xf000_0000n,
  /** Bits with a vendor's meaning. */
  VENDOR_MASK: 0xffff_0000_0000_0000n,
} as const;

/** gralloc 1 tells producers from consumers, and says "often" with a bit of its own. */
const CPU_READ_OFTEN_1 = 0x6n, CPU_WRITE_OFTEN_1 = 0x60n;

/** The bits of gralloc 0 that each side of gralloc 1 understands. */
const VENDOR = USAGE.VENDOR_MASK_LOW | USAGE.VENDOR_MASK,
  PRODUCER = mask(1, 5, 9, 14, 17, 22, 23),
  CONSUMER = mask(1, 8, 11, 12, 15, 16, 18, 20, 23);

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

/**
 * Converts usage bits to gralloc 0, a signed 32-bit number; newer bits are left out.
 *
 * @example
 * ```ts
 * import { usageFromGralloc0, usageToGralloc0 } from "@pumice/gfx/wsi";
 * import { assertEquals } from "@std/assert";
 *
 * assertEquals(usageToGralloc0(usageFromGralloc0(0x233)), 0x233);
 * ```
 */
export function usageToGralloc0(usage: bigint): number {
  return Number(BigInt.asIntN(32, usage));
}

/**
 * Combines the usage bits of producer and consumer, which gralloc 1 and `vkGetSwapchainGrallocUsage2ANDROID` separate.
 *
 * @example
 * ```ts
 * import { USAGE, usageFromProducerConsumer } from "@pumice/gfx/wsi";
 * import { assertEquals } from "@std/assert";
 *
 * const usage = usageFromProducerConsumer(USAGE.GPU_RENDER_TARGET, USAGE.COMPOSER_OVERLAY);
 * assertEquals(usage, USAGE.GPU_RENDER_TARGET | USAGE.COMPOSER_OVERLAY);
 * ```
 */
export function usageFromProducerConsumer(producer: bigint, consumer: bigint): bigint {
  let usage = producer | consumer;
  if ((usage & CPU_READ_OFTEN_1) === CPU_READ_OFTEN_1) usage = usage & ~CPU_READ_OFTEN_1 | USAGE.CPU_READ_OFTEN;
  if ((usage & CPU_WRITE_OFTEN_1) === CPU_WRITE_OFTEN_1) usage = usage & ~CPU_WRITE_OFTEN_1 | USAGE.CPU_WRITE_OFTEN;
  return usage;
}

/**
 * Separates usage bits into those of producer and consumer, for gralloc 1; each side gets the bits that it knows, and
 * those with a vendor's meaning.
 *
 * @example
 * ```ts
 * import { USAGE, usageToProducerConsumer } from "@pumice/gfx/wsi";
 * import { assertEquals } from "@std/assert";
 *
 * const { producer, consumer } = usageToProducerConsumer(USAGE.GPU_RENDER_TARGET | USAGE.COMPOSER_OVERLAY);
 * assertEquals([producer, consumer], [USAGE.GPU_RENDER_TARGET, USAGE.COMPOSER_OVERLAY]);
 * ```
 */
export function usageToProducerConsumer(usage: bigint): { producer: bigint; consumer: bigint } {
  const readOften = (usage & USAGE.CPU_READ_OFTEN) === USAGE.CPU_READ_OFTEN ? CPU_READ_OFTEN_1 : 0n;
  const writeOften = (usage & USAGE.CPU_WRITE_OFTEN) === USAGE.CPU_WRITE_OFTEN ? CPU_WRITE_OFTEN_1 : 0n;
  return {
    producer: usage & (PRODUCER | VENDOR) | readOften | writeOften,
    consumer: usage & (CONSUMER | VENDOR) | readOften,
  };
}

function mask(...bits: number[]): bigint {
  return bits.reduce((all, bit) => all | 1n << BigInt(bit), 0n);
}
