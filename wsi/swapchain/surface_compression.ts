import { arena } from "../../ffi/arena.ts";
import { codec, type StructObject } from "../../loader/codec/codec.ts";
import { queryCommand } from "./device_facts.ts";
import type { Below, InstanceState } from "./environment.ts";
import { VK } from "./results.ts";

const COMPRESSION_CONTROL = 1000338001, COMPRESSION_PROPERTIES = 1000338004;
/** VK_IMAGE_TYPE_2D and VK_IMAGE_USAGE_COLOR_ATTACHMENT_BIT. */
const TYPE_2D = 1, COLOR_ATTACHMENT = 0x10;
/** Up to this release any failure counts; later ones pass over formats that cannot be compressed. */
const STRICT_RELEASE = 16;

/** What of VkImageCompressionPropertiesEXT is told. */
export interface Compression {
  readonly imageCompressionFlags: number;
  readonly imageCompressionFixedRateFlags: number;
}

/** Through what a device is asked. */
export interface CompressionQuery {
  readonly context: Below;
  readonly instance: InstanceState;
  readonly gpu: bigint;
  /** The Android release that is followed. */
  readonly release: number;
}

/** How a driver compresses images of a format by itself; `undefined` when it does not say, a negative VkResult when that counts. */
export function compressionOf(query: CompressionQuery, format: number): Compression | number | undefined {
  const { context, instance, gpu, release } = query;
  const command = queryCommand(instance, "vkGetPhysicalDeviceImageFormatProperties2");
  if (!command) return undefined;
  const { encodeOut, decode, size } = codec("VkImageFormatProperties2"), memory = arena(), at = memory.alloc(size);
  encodeOut({ pNext: [COMPRESSION_PROPERTIES] }, at);
  const info = context.write("VkPhysicalDeviceImageFormatInfo2", {
    pNext: [{ sType: COMPRESSION_CONTROL }],
    ...{ format, type: TYPE_2D, tiling: 0, usage: COLOR_ATTACHMENT },
  } as never);
  const result = context.below(gpu)[command](gpu, info, memory.address(at));
  if (result >= 0) return (decode(at).pNext as StructObject[])[0] as unknown as Compression;
  const counts = release <= STRICT_RELEASE || result === VK.OUT_OF_HOST_MEMORY || result === VK.OUT_OF_DEVICE_MEMORY;
  return counts ? result : undefined;
}
