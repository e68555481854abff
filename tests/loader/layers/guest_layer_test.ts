import { assertEquals } from "@std/assert";
import { openBlocks } from "../../../ffi/block.ts";
import { readCString } from "../../../ffi/cstring.ts";
import { Library } from "../../../ffi/library/library.ts";
import { invokeAddress, peek64 } from "../../../ffi/machine.ts";
import type { VkPhysicalDevice } from "../../../loader/types.ts";
import { compileFixture } from "../../support/compile.ts";
import { NEEDS_TINY } from "../tiny.ts";
import { layerName, withMachine } from "./choice/layer_machine.ts";

const QUEUES = { pQueueCreateInfos: [{ queueFamilyIndex: 0, pQueuePriorities: [1] }] };
const DEVICE_GROUP = 1_000_070_001 as const;
const virtualDevice = compileFixture("guest_layer")!;

/** The objects that the layer was handed since the library was opened. */
function told(): string[] {
  using library = Library.open(virtualDevice);
  return readCString(invokeAddress(library.require("guest_told"), "q:", []) as bigint).split("\n").slice(0, -1);
}

Deno.test(
  "a script uses the physical devices of a layer as all others, and they end with the instance",
  NEEDS_TINY,
  () => {
    const name = layerName("guest");
    withMachine((machine) => {
      const instance_extensions = [{ name: "VK_EXT_debug_utils", spec_version: "2" }];
      machine.explicit("guest", {
        layer: { library_path: virtualDevice, functions: undefined, instance_extensions },
      });
      const use = (check: (gpus: VkPhysicalDevice[], instance: bigint) => void) => {
        using vulkan = machine.load();
        using instance = vulkan.vkCreateInstance({
          pApplicationInfo: { apiVersion: 0x401000 },
          ppEnabledLayerNames: [name],
          ppEnabledExtensionNames: ["VK_EXT_debug_utils"],
        });
        const gpus = instance.vkEnumeratePhysicalDevices();
        assertEquals(instance.vkEnumeratePhysicalDevices(), gpus);
        const groups = instance.vkEnumeratePhysicalDeviceGroups().map(({ physicalDevices }) => physicalDevices);
        assertEquals(groups.flat(), gpus.map(({ handle }) => handle));
        check(gpus, instance.handle);
      };
      const check = (gpus: VkPhysicalDevice[], instance: bigint) => {
        assertEquals(gpus.map(({ handle }) => peek64(handle)), gpus.map(() => peek64(instance)));
        const names = gpus.map((gpu) => gpu.vkGetPhysicalDeviceProperties().deviceName);
        assertEquals(names, ["Guest 1", "Guest 2", "Guest 3", "Tiny driver"]);
        const before = told().length;
        const pNext = [{ sType: DEVICE_GROUP, pPhysicalDevices: gpus }];
        using device = gpus[1].vkCreateDevice({ ...QUEUES, pNext });
        device.vkSetDebugUtilsObjectNameEXT({
          objectType: 2,
          objectHandle: gpus[0].handle,
          pObjectName: "guest",
        });
        device.vkSetDebugUtilsObjectTagEXT({
          objectType: 2,
          objectHandle: gpus[3].handle,
          tagName: 1n,
          pTag: new Uint8Array(1),
        });
        device.vkSetDebugUtilsObjectNameEXT({ objectType: 2, objectHandle: 12n, pObjectName: "no device" });
        assertEquals(told().slice(before), [
          "device of 2, group of 1 2 3 0",
          "name of type 2, a guest",
          "tag: name of type 2, the driver's",
          "name of type 2, unknown",
        ]);
      };
      use(check); // some memory is kept for the life of the process
      const blocks = openBlocks();
      use(check);
      assertEquals(openBlocks(), blocks);
    });
  },
);
