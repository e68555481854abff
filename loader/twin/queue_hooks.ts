import { inFrame } from "../../ffi/arena.ts";
import { peek32, poke32 } from "../../ffi/machine.ts";
import { codec, type StructObject } from "../codec/codec.ts";
import type { AnyHook } from "../layer.ts";
import { apply, INNER, patchOf } from "../layers/define/device_changes.ts";
import { fillArray } from "../scripted/answer.ts";
import type { Twin } from "./twin.ts";

const FAMILY = "VkQueueFamilyProperties";

/** Makes the hooks of the queries for queue families. A family of the twin is the driver's with the same index. */
export function queueHooks(twin: Twin): Record<string, AnyHook> {
  if (!twin.model.queueFamilies) return {};
  const families2: AnyHook = (next, gpu, count, out) => {
    const { families } = twin.gpu(gpu), { size } = codec("VkQueueFamilyProperties2");
    if (out !== 0n) fillChains(next, gpu, Math.min(peek32(count), families.length), out);
    fillArray(families, count, out, size, (family, to) => putFamily(family, to + INNER));
  };
  return {
    vkGetPhysicalDeviceQueueFamilyProperties(_next, gpu, count, out) {
      fillArray(twin.gpu(gpu).families, count, out, codec(FAMILY).size, putFamily);
    },
    vkGetPhysicalDeviceQueueFamilyProperties2: families2,
    vkGetPhysicalDeviceQueueFamilyProperties2KHR: families2,
  };
}

function putFamily(family: StructObject, to: bigint): void {
  apply(patchOf(FAMILY, family), to);
}

/** Structs in the chains of the families that the driver has, too, are the driver's. */
function fillChains(next: (...args: unknown[]) => void, gpu: bigint, room: number, out: bigint): void {
  inFrame((memory) => {
    const at = memory.alloc(8), count = memory.address(at);
    poke32(count, room);
    next(gpu, count, out);
  });
}
