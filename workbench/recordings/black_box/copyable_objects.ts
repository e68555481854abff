import { inFrame } from "../../../ffi/arena.ts";
import { structsAt } from "../../../loader/codec/codec.ts";
import { layoutOf } from "../../../loader/codec/layout/layout.ts";
import type { NativeCall } from "../../../loader/command/compile.ts";
import {
  VK_BUFFER_USAGE_TRANSFER_SRC_BIT,
  VK_IMAGE_USAGE_TRANSFER_SRC_BIT,
  VK_IMAGE_USAGE_TRANSIENT_ATTACHMENT_BIT,
  VK_SUCCESS,
} from "../../../loader/gen/enums_core_gen.js";
import type { Arguments } from "../../../loader/layers/shipped/trace/arguments.ts";
import type { LiveDevice } from "./live_device.ts";
import { answer } from "./live_device.ts";

/** The commands that make what is copied. */
export const MAKES: Readonly<Record<string, readonly [struct: string, bit: number]>> = {
  vkCreateBuffer: ["VkBufferCreateInfo", VK_BUFFER_USAGE_TRANSFER_SRC_BIT],
  vkCreateImage: ["VkImageCreateInfo", VK_IMAGE_USAGE_TRANSFER_SRC_BIT],
};

/**
 * Makes a buffer or an image that can be copied out of, if the driver can. Returns the result, and whether the object
 * can be copied.
 */
export function makeCopyable(
  command: string,
  live: LiveDevice | undefined,
  next: NativeCall,
  args: Arguments,
): { readonly result: number; readonly isCopyable: boolean } {
  const [struct, bit] = MAKES[command], usage = usageAt(struct), info = args[1] as bigint;
  const [members] = structsAt(struct, info, 1), had = members.usage as number;
  if ((had & bit) !== 0) return { result: next(...args) as number, isCopyable: true };
  if (!live || command === "vkCreateImage" && !canCopy(live, members, had | bit)) {
    return { result: next(...args) as number, isCopyable: false };
  }
  const result = inFrame((memory) => {
    const copy = memory.copyIn(info, layoutOf(struct).size);
    memory.view.setUint32(copy + usage, had | bit, true);
    return next(...args.with(1, memory.address(copy))) as number;
  });
  return result >= VK_SUCCESS ? { result, isCopyable: true } : { result: next(...args) as number, isCopyable: false };
}

function usageAt(struct: string): number {
  return layoutOf(struct).fields.find(({ name }) => name === "usage")!.offset;
}

function canCopy({ gpu, belowGpu }: LiveDevice, info: Record<string, unknown>, usage: number): boolean {
  const { format, imageType, tiling, flags } = info as Record<string, number>;
  if ((usage & VK_IMAGE_USAGE_TRANSIENT_ATTACHMENT_BIT) !== 0) return false;
  let result = -1;
  answer(
    "VkImageFormatProperties",
    (out) =>
      result = belowGpu.vkGetPhysicalDeviceImageFormatProperties(gpu, format, imageType, tiling, usage, flags, out),
  );
  return result === VK_SUCCESS;
}
