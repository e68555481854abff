import { assertEquals } from "@std/assert";
import fc from "fast-check";
import {
  USAGE,
  usageFromGralloc0,
  usageFromProducerConsumer,
  usageToGralloc0,
  usageToProducerConsumer,
} from "../../../wsi/buffer/usage.ts";

Deno.test("USAGE has the bits of Android's BufferUsage", () => {
  const bit = (usage: bigint) => usage.toString(2).length - 1;
  assertEquals([USAGE.CPU_READ_RARELY, USAGE.CPU_READ_OFTEN, USAGE.CPU_READ_MASK], [2n, 3n, 15n]);
  assertEquals([USAGE.CPU_WRITE_RARELY, USAGE.CPU_WRITE_OFTEN, USAGE.CPU_WRITE_MASK], [32n, 48n, 240n]);
  const { GPU_TEXTURE, COMPOSER_OVERLAY, PROTECTED, VIDEO_ENCODER, VIDEO_DECODER, GPU_DATA_BUFFER, FRONT_BUFFER } =
    USAGE;
  const ones = [GPU_TEXTURE, COMPOSER_OVERLAY, PROTECTED, VIDEO_ENCODER, VIDEO_DECODER, GPU_DATA_BUFFER, FRONT_BUFFER];
  assertEquals(ones.map(bit), [8, 11, 14, 16, 22, 24, 32]);
});

Deno.test("usageFromGralloc0() and usageToGralloc0() keep 32 bits, signed or not", () => {
  assertEquals([usageFromGralloc0(0x333), usageFromGralloc0(-0x80000000)], [0x333n, 0x80000000n]);
  assertEquals([usageToGralloc0(0x333n), usageToGralloc0(0x1_8000_0000n)], [0x333, -0x80000000]);
  fc.assert(fc.property(fc.integer(), (bits) => usageToGralloc0(usageFromGralloc0(bits)) === bits));
});

Deno.test("usageFromProducerConsumer() combines the two bits of gralloc 1", () => {
  assertEquals(usageFromProducerConsumer(0x260n, 0x106n), 0x333n);
  assertEquals(usageFromProducerConsumer(0x22n, 0x2n), 0x22n);
  assertEquals(usageFromProducerConsumer(0x4n, 0x2n), 0x3n); // each side says half of it
});

/** The bits that mean what a vendor says. */
const PRIVATE = [28n, 29n, 30n, 31n, 48n, 49n, 63n];

Deno.test("usageToProducerConsumer() gives each side its bits and a vendor's, and loses none that both know", () => {
  assertEquals(usageToProducerConsumer(0x333n), { producer: 0x266n, consumer: 0x106n });
  assertEquals(usageToProducerConsumer(0x22n), { producer: 0x22n, consumer: 0x2n });
  const known = [1n, 5n, 8n, 9n, 11n, 12n, 14n, 15n, 16n, 17n, 18n, 20n, 22n, 23n, ...PRIVATE].map((bit) => 1n << bit);
  fc.assert(fc.property(fc.subarray(known), fc.boolean(), fc.boolean(), (bits, read, write) => {
    let usage = bits.reduce((all, bit) => all | bit, 0n);
    if (read) usage |= USAGE.CPU_READ_OFTEN;
    if (write) usage |= USAGE.CPU_WRITE_OFTEN;
    const { producer, consumer } = usageToProducerConsumer(usage);
    return usageFromProducerConsumer(producer, consumer) === usage;
  }));
});
