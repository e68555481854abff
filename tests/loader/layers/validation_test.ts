import { assert, assertEquals, assertStringIncludes, assertThrows } from "@std/assert";
import { takeFault } from "../../../ffi/error.ts";
import { loadVulkan, type Vulkan } from "../../../loader/mod.ts";
import type { VkInstance } from "../../../loader/types.ts";
import { lavapipePath, swiftshaderPath, validationManifest } from "../../../tools/setup/parts.ts";
import { createMessenger, listen, type Messenger } from "../../support/messenger.ts";
import { needs } from "../../support/require.ts";
import { fillAndRead } from "../fill.ts";

const validation = needs("Khronos validation layer", validationManifest());
const DRIVERS = [["Mesa lavapipe", lavapipePath()], ["SwiftShader", swiftshaderPath()]] as const;
const DEVICE = { pQueueCreateInfos: [{ queueFamilyIndex: 0, pQueuePriorities: [1] }] };

function validated(driver: string): Vulkan {
  return loadVulkan({ driver, layers: ["VK_LAYER_KHRONOS_validation"] });
}

/** Makes an instance that `messenger` hears from its very first command on, and hands it over. */
function withMessenger(driver: string, messenger: Messenger, use: (instance: VkInstance) => void): void {
  using vulkan = validated(driver);
  using instance = vulkan.vkCreateInstance({
    ppEnabledExtensionNames: ["VK_EXT_debug_utils"],
    pNext: [messenger.info],
  });
  using _listening = listen(instance, messenger);
  use(instance);
}

for (const [name, driver] of DRIVERS) {
  const options = { ignore: needs(name, driver).ignore || validation.ignore };

  Deno.test(`validation says nothing about right calls on ${name}`, options, () => {
    using messenger = createMessenger();
    withMessenger(driver!, messenger, (instance) => assertEquals(fillAndRead(instance, 0x600dca11), 0x600dca11));
    assertEquals(messenger.messages, []);
  });

  Deno.test(`validation tells a TypeScript callback about a wrong call on ${name}`, options, () => {
    using messenger = createMessenger();
    withMessenger(driver!, messenger, (instance) => {
      using device = instance.vkEnumeratePhysicalDevices()[0].vkCreateDevice(DEVICE);
      const buffer = device.vkCreateBuffer({ size: 16n, usage: 0 });
      assertEquals(messenger.messages.length, 1);
      assertStringIncludes(messenger.messages[0], "VUID-VkBufferCreateInfo-");
      device.vkDestroyBuffer(buffer);
    });
    assertEquals(messenger.messages.length, 1);
  });

  Deno.test(
    `the first thing a messenger throws surfaces at the caller on ${name}, and the call is given up`,
    options,
    () => {
      using messenger = createMessenger((message) => {
        throw new RangeError(`heard ${messenger.messages.length}: ${message}`);
      });
      using second = createMessenger();
      withMessenger(driver!, messenger, (instance) => {
        using _listening = listen(instance, second);
        using device = instance.vkEnumeratePhysicalDevices()[0].vkCreateDevice(DEVICE);
        assertThrows(() => device.vkCreateBuffer({ size: 16n, usage: 0, sharingMode: 77 }), RangeError, "heard 1");
        const heard = messenger.messages.length; // older layers go on to the second mistake when told to give up
        assert(heard > 0);
        assertEquals(second.messages.length, heard);
        assertEquals(takeFault(), undefined);
        device.vkDestroyBuffer(device.vkCreateBuffer({ size: 16n, usage: 2 }));
        assertEquals(messenger.messages.length, heard);
      });
    },
  );

  Deno.test(`what a messenger throws while an instance is made leaves no instance on ${name}`, options, () => {
    using messenger = createMessenger(() => {
      throw new RangeError("not today");
    });
    using vulkan = validated(driver!);
    const wrong = {
      ppEnabledExtensionNames: ["VK_EXT_debug_utils"],
      pNext: [messenger.info],
      flags: 0x40,
    };
    assertThrows(() => vulkan.vkCreateInstance(wrong), RangeError, "not today");
    assertStringIncludes(messenger.messages[0], "VkInstanceCreateInfo");
  });
}
