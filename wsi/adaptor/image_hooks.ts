import { arena } from "../../ffi/arena.ts";
import { peek64, poke64 } from "../../ffi/machine.ts";
import { findInChain, nextOf } from "../../loader/driver/structs/create_info.ts";
import type { Hook, Layer } from "../../loader/layer.ts";
import { structAt } from "../../loader/codec/codec.ts";
import type { RawCommands } from "../../loader/types.ts";
import type { Adaptor } from "./adaptor.ts";
import { STYPE } from "./constants.ts";
import { bindUnbound, createNativeImage, createUnbound } from "./create_image.ts";
import { chained } from "./struct.ts";
import {
  sizeOfVkBindImageMemoryInfo,
  VkBindImageMemoryInfo,
  VkNativeBufferANDROID,
} from "../../loader/gen/native_gen.ts";

const BIND = VkBindImageMemoryInfo, BIND_SIZE = sizeOfVkBindImageMemoryInfo;

/** The adaptor's hooks for images. */
export function imageHooks(adaptor: Adaptor): NonNullable<Layer["commands"]> {
  const bind2 = bindHook(adaptor);
  return {
    vkCreateImage: (next, ...args) => createImage(adaptor, next, ...args),
    vkDestroyImage(next, device, image, allocator) {
      const known = adaptor.deviceOf(device), native = known?.images.get(image);
      known?.unbound.delete(image);
      native?.settle();
      next(device, image, allocator);
      native?.close();
    },
    vkBindImageMemory2: bind2,
    vkBindImageMemory2KHR: bind2,
  };
}

function createImage(
  adaptor: Adaptor,
  next: RawCommands["vkCreateImage"],
  handle: bigint,
  info: bigint,
  allocator: bigint,
  out: bigint,
): number {
  const first = nextOf(info), device = first === 0n ? undefined : adaptor.deviceOf(handle);
  const isNative = device && findInChain(first, STYPE.NATIVE_BUFFER) !== 0n;
  if (!device || !isNative && findInChain(first, STYPE.IMAGE_SWAPCHAIN_CREATE_INFO) === 0n) {
    return next(handle, info, allocator, out);
  }
  const decoded = structAt("VkImageCreateInfo", info);
  const creation = { info: decoded, create: (changed: bigint) => next(handle, changed, allocator, out), out };
  const native = chained(decoded, STYPE.NATIVE_BUFFER);
  const result = native ? createNativeImage(device, creation, native) : createUnbound(device, creation);
  if (result < 0) poke64(out, 0n);
  return result;
}

/** Binds images to the buffers that they name, and leaves the others to those below. */
function bindHook(adaptor: Adaptor): Hook<"vkBindImageMemory2"> {
  return (next, handle, count, infos) => {
    const device = adaptor.deviceOf(handle);
    if (!device) return next(handle, count, infos);
    const places = Array.from({ length: count }, (_, index) => infos + BigInt(BIND_SIZE * index));
    const ours = places.filter((at) => nativeHandleOf(at) !== undefined);
    if (ours.length === 0) return next(handle, count, infos);
    for (const at of ours) {
      const result = bindUnbound(device, peek64(at + BIND.image), nativeHandleOf(at)!);
      if (result < 0) return result;
    }
    const rest = places.filter((at) => !ours.includes(at));
    return rest.length === 0 ? 0 : next(handle, rest.length, together(rest));
  };
}

/** The native_handle_t to which a VkBindImageMemoryInfo binds; `undefined` when that is not the adaptor's affair. */
function nativeHandleOf(info: bigint): bigint | undefined {
  if (peek64(info + BIND.memory) !== 0n) return undefined;
  const native = findInChain(nextOf(info), STYPE.NATIVE_BUFFER);
  return native === 0n ? undefined : peek64(native + VkNativeBufferANDROID.handle);
}

function together(infos: readonly bigint[]): bigint {
  const memory = arena(),
    all = infos.map((each) => memory.copyIn(each, BIND_SIZE)),
    list = memory.alloc(BIND_SIZE * all.length);
  all.forEach((at, index) => memory.bytes.copyWithin(list + BIND_SIZE * index, at, at + BIND_SIZE));
  return memory.address(list);
}
