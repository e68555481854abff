/**
 * Closes things where something of theirs is still running, uses what is closed, and meets drivers that lie.
 *
 * deno run … tests/loader/api/programs/amid.ts LAVAPIPE VALIDATED
 */
import { NativeBlock } from "../../../../ffi/block.ts";
import { poke32, poke64 } from "../../../../ffi/machine.ts";
import { defineDriver } from "../../../../loader/drivers.ts";
import { createDebugMessenger, type DebugMessenger, defineLayer, loadVulkan } from "../../../../loader/mod.ts";
import type { VkDevice, VkInstance } from "../../../../loader/types.ts";
import { openDevice } from "../../../support/device.ts";
import { carryOutRows, type Trial } from "../../../support/rows.ts";

const [driver, isValidated] = Deno.args;
const QUEUE = { pQueueCreateInfos: [{ queueFamilyIndex: 0, pQueuePriorities: [1] }] };

/** Closes in a hook of vkCreateFence, and tells whether the call and the closing came to their ends. */
function closingHook(close: (open: ReturnType<typeof openDevice>) => void): Trial {
  return async () => {
    let ends = "";
    const layer = defineLayer({
      name: "VK_LAYER_TEST_closing",
      commands: {
        vkCreateFence(next, ...args) {
          close(open);
          return next(...args);
        },
        vkDestroyDevice(next, ...args) {
          next(...args);
          ends += ", destroyed";
        },
      },
    });
    const open = openDevice({ driver, layers: [layer] }), { device } = open;
    ends += device.vkCreateFence({}) ? "made" : "";
    await Promise.resolve();
    open.vulkan.close();
    return ends;
  };
}

/** Calls a command that was taken out before something was closed. */
function keptMethod(close: (open: ReturnType<typeof openDevice>) => void): Trial {
  return () => {
    const open = openDevice({ driver }), { device, instance, gpu, vulkan } = open;
    const queue = device.vkGetDeviceQueue(0, 0),
      kept = [
        () => device.vkDeviceWaitIdle,
        () => queue.vkQueueWaitIdle,
        () => gpu.vkGetPhysicalDeviceProperties,
        () => instance.vkEnumeratePhysicalDevices,
        () => vulkan.vkCreateInstance,
      ].map((method) => method());
    const selves = [device, queue, gpu, instance, vulkan];
    close(open);
    const refused = kept.map((method, index) =>
      isRefused(() => (method as (info: object) => void).call(selves[index], {}))
    );
    vulkan.close();
    return refused.join(" ");
  };
}

function isRefused(call: () => void): string {
  try {
    call();
    return "done";
  } catch (error) {
    return /is closed; keep it open/.test((error as Error).message) ? "closed" : String(error);
  }
}

/** Does something wrong on a validated device, and in the handler that is told of it something worse. */
function wrongIn(handle: (messenger: DebugMessenger, device: VkDevice, instance: VkInstance) => void): Trial {
  return async () => {
    let told = 0;
    const vulkan = loadVulkan({ driver, layers: ["VK_LAYER_KHRONOS_validation"] });
    const instance = vulkan.vkCreateInstance({ ppEnabledExtensionNames: ["VK_EXT_debug_utils"] });
    const device = instance.vkEnumeratePhysicalDevices()[0].vkCreateDevice(QUEUE);
    const messenger = createDebugMessenger(instance, () => {
      told++;
      handle(messenger, device, instance);
    });
    device.vkDestroyBuffer(device.vkCreateBuffer({ size: 16n, usage: 0 }));
    await Promise.resolve();
    vulkan.close();
    messenger.close();
    return told > 0 ? "told" : "not told";
  };
}

/** Makes what it can with a driver whose hooks lie. */
function lying(
  commands: Parameters<typeof defineDriver>[0]["commands"],
  use?: (instance: VkInstance) => unknown,
): Trial {
  return () => {
    using liar = defineDriver({ name: "liar", commands });
    using vulkan = loadVulkan({ driver: liar });
    using instance = vulkan.vkCreateInstance({});
    if (use) return use(instance);
    using _device = instance.vkEnumeratePhysicalDevices()[0].vkCreateDevice(QUEUE);
    return "made";
  };
}

const none = (out: bigint) => {
  poke64(out, 0n);
  return 0;
};
await carryOutRows({
  "device.close() in a hook": closingHook(({ device }) => device.close()),
  "instance.close() in a hook": closingHook(({ instance }) => instance.close()),
  "vulkan.close() in a hook": closingHook(({ vulkan }) => vulkan.close()),
  "methods of a device, kept": keptMethod(({ device }) => device.close()),
  "methods of an instance, kept": keptMethod(({ instance }) => instance.close()),
  "methods of a loader, kept": keptMethod(({ vulkan }) => vulkan.close()),
  "a block's bytes": () => {
    const blocks = Array.from({ length: 20 }, () => new NativeBlock(4096));
    for (const block of blocks) block.close();
    for (const { bytes } of blocks) bytes[0] = 1;
    return blocks.map(({ bytes }) => bytes.length + bytes[0]).every(Number.isNaN);
  },
  "a block's view": () => {
    const block = new NativeBlock(4096);
    block.close();
    return block.view.getUint8(0);
  },
  "no instance": lying({ vkCreateInstance: (_next, _info, _allocator, out) => none(out) }),
  "no device": lying({ vkCreateDevice: (_next, _gpu, _info, _allocator, out) => none(out) }),
  "no physical device": lying({
    vkEnumeratePhysicalDevices(_next, _instance, count, out) {
      poke32(count, 1);
      return out === 0n ? 0 : none(out);
    },
  }, (instance) => instance.vkEnumeratePhysicalDevices().length),
  "a count above the room": lying({
    vkEnumeratePhysicalDevices(next, instance, count, out) {
      const result = next(instance, count, out);
      if (out !== 0n) poke32(count, 1000);
      return result;
    },
  }, (instance) => instance.vkEnumeratePhysicalDevices().length),
  "half a billion devices": lying({
    vkEnumeratePhysicalDevices(_next, _instance, count) {
      poke32(count, 0x2000_0000);
      return 0;
    },
  }, (instance) => instance.vkEnumeratePhysicalDevices().length),
  ...(isValidated === "true" && {
    "messenger.close() in its handler": wrongIn((messenger) => messenger.close()),
    "device.close() in a handler": wrongIn((_messenger, device) => device.close()),
    "instance.close() in a handler": wrongIn((_messenger, _device, instance) => instance.close()),
  }),
});
