import { USAGE } from "./usage.ts";

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
