import { peek32, peek64 } from "../../ffi/machine.ts";
import { requestedExtensions } from "../../loader/driver/create_info.ts";
import type { Layer } from "../../loader/layer.ts";
import { structAt } from "../../loader/codec/struct_at.ts";
import type { RawCommands } from "../../loader/types.ts";
import type { Adaptor } from "./adaptor.ts";
import { AdaptorDevice } from "./adaptor_device.ts";
import { NATIVE_BUFFER } from "./constants.ts";
import { devicePlans } from "./device_plan.ts";
import { write } from "./struct.ts";

/** What the adaptor does about devices and queues. */
export function deviceHooks(adaptor: Adaptor): NonNullable<Layer["commands"]> {
  return {
    vkCreateDevice: (next, ...args) => createDevice(adaptor, next, ...args),
    vkDestroyDevice(next, device, allocator) {
      if (device !== 0n) adaptor.leave(device)?.close();
      next(device, allocator);
    },
    vkGetDeviceQueue(next, device, family, index, out) {
      next(device, family, index, out);
      adaptor.deviceOf(device)?.noteQueue(peek64(out), family);
    },
    vkGetDeviceQueue2(next, device, info, out) {
      next(device, info, out);
      adaptor.deviceOf(device)?.noteQueue(peek64(out), peek32(info + 20n)); // queueFamilyIndex
    },
  };
}

function createDevice(
  adaptor: Adaptor,
  next: RawCommands["vkCreateDevice"],
  gpu: bigint,
  info: bigint,
  allocator: bigint,
  out: bigint,
): number {
  if (!requestedExtensions(info).includes(NATIVE_BUFFER)) return next(gpu, info, allocator, out);
  const { layer, options } = adaptor, instance = adaptor.instanceOf(gpu), facts = instance.gpu(gpu);
  if (facts.hasOwn) return next(gpu, info, allocator, out);
  let result = 0;
  for (const plan of devicePlans(structAt("VkDeviceCreateInfo", info), facts, instance.facts)) {
    result = next(gpu, write("VkDeviceCreateInfo", plan.info), allocator, out);
    if (result < 0) continue;
    adaptor.enter(new AdaptorDevice({ layer, handle: peek64(out), gpu: facts, plan, options }));
    break;
  }
  return result;
}
