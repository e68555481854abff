import { assertEquals, assertStringIncludes } from "@std/assert";
import { readCString } from "../../../../../ffi/cstring.ts";
import { createThunk } from "../../../../../ffi/thunk/thunk.ts";
import { loadVulkan, type Vulkan } from "../../../../../loader/mod.ts";
import { lavapipePath, swiftshaderPath, validationManifest } from "../../../../../tools/setup/parts.ts";
import { createMessenger } from "../../../../support/messenger.ts";
import { needs } from "../../../../support/require.ts";
import { TINY } from "../../../tiny.ts";

const lavapipe = lavapipePath()!, swiftshader = swiftshaderPath()!;
const NEEDS = {
  ignore: [needs("Mesa lavapipe", lavapipe), needs("SwiftShader", swiftshader), needs("C compiler (cc)", TINY)]
    .some(({ ignore }) => ignore),
};
const UTILS = "VK_EXT_debug_utils", REPORT = "VK_EXT_debug_report";
const QUEUE = { pQueueCreateInfos: [{ queueFamilyIndex: 0, pQueuePriorities: [1] }] };
const ERROR = 0x1000, GENERAL = 1;

/** Drivers that have both extensions, one of them, and none; each named alone, and behind one that joins drivers. */
const DRIVERS = [lavapipe, [lavapipe], swiftshader, [swiftshader], TINY!, [TINY!]];

function onEach(use: (vulkan: Vulkan, which: string) => void, layers: string[] = []): void {
  for (const driver of DRIVERS) {
    using vulkan = loadVulkan({ driver, platform: "linux", layers });
    use(vulkan, JSON.stringify(driver));
  }
}

Deno.test("every driver lists the extensions by which an application listens, once", NEEDS, () => {
  onEach((vulkan, which) => {
    const names = vulkan.vkEnumerateInstanceExtensionProperties().map(({ extensionName }) => extensionName);
    assertEquals([which, ...names.filter((name) => name === UTILS)], [which, UTILS]);
    assertEquals([which, ...names.filter((name) => name === REPORT)], [which, REPORT]);
  });
});

Deno.test(
  "what an application says reaches its messengers and callbacks on every driver, until they are destroyed",
  NEEDS,
  () => {
    const reports: string[] = [];
    const thunk = createThunk("w:wwqqsqqq", (flags, _type, _object, _location, _code, prefix, message) => {
      reports.push(`${flags} ${readCString(prefix as bigint)}: ${readCString(message as bigint)}`);
      return 0;
    });
    onEach((vulkan, which) => {
      using messenger = createMessenger();
      using instance = vulkan.vkCreateInstance({ ppEnabledExtensionNames: [UTILS, REPORT] });
      const say = (pMessage: string) => instance.vkSubmitDebugUtilsMessageEXT(ERROR, GENERAL, { pMessage });
      const listening = messenger.listen(instance);
      const callback = instance.vkCreateDebugReportCallbackEXT({ flags: 8, pfnCallback: thunk.address });
      say("one");
      instance.vkDebugReportMessageEXT(8, 0, 0n, 0, 0, "test", "an error");
      instance.vkDebugReportMessageEXT(1, 0, 0n, 0, 0, "test", "news");
      listening[Symbol.dispose]();
      instance.vkDestroyDebugReportCallbackEXT(callback);
      say("two");
      instance.vkDebugReportMessageEXT(8, 0, 0n, 0, 0, "test", "late");
      // each extension hears of the other's messages, too, as with the Khronos loader
      const heard = { messages: messenger.messages, reports: reports.splice(0) };
      assertEquals({ which, ...heard }, {
        which,
        messages: ["one", "an error"],
        reports: ["8 : one", "8 test: an error"],
      });
    });
    thunk.free();
  },
);

Deno.test("names and labels are taken on every driver, through native layers, too", NEEDS, () => {
  const layers = validationManifest() ? [[], ["VK_LAYER_KHRONOS_validation"]] : [[]];
  for (const above of layers) {
    onEach((vulkan, which) => {
      if (above.length > 0 && which.includes(TINY!)) return; // it makes no objects that validation would know
      using instance = vulkan.vkCreateInstance({ ppEnabledExtensionNames: [UTILS] });
      using device = instance.vkEnumeratePhysicalDevices()[0].vkCreateDevice(QUEUE);
      device.vkSetDebugUtilsObjectNameEXT({ objectType: 3, objectHandle: device.handle, pObjectName: "it" });
      const queue = device.vkGetDeviceQueue(0, 0);
      queue.vkQueueBeginDebugUtilsLabelEXT({ pLabelName: "begin" });
      queue.vkQueueEndDebugUtilsLabelEXT();
      assertEquals([which, instance.vkGetInstanceProcAddr("vkCmdBeginDebugUtilsLabelEXT") !== 0n], [which, true]);
    }, above);
  }
});

Deno.test("an instance that enabled neither has none of their commands", NEEDS, () => {
  onEach((vulkan, which) => {
    using instance = vulkan.vkCreateInstance({});
    using device = instance.vkEnumeratePhysicalDevices()[0].vkCreateDevice(QUEUE);
    const ofInstance = ["vkCreateDebugUtilsMessengerEXT", "vkCreateDebugReportCallbackEXT", "vkDebugReportMessageEXT"];
    const found = [
      ...ofInstance.map((name) => instance.vkGetInstanceProcAddr(name)),
      device.vkGetDeviceProcAddr("vkSetDebugUtilsObjectNameEXT"),
    ];
    assertEquals([which, ...found], [which, 0n, 0n, 0n, 0n]);
  });
});

Deno.test("messages of the loader reach a messenger and a callback of a named driver that lacks them", NEEDS, () => {
  const heard: string[] = [];
  const thunk = createThunk("w:wwqqsqqq", (...args) => heard.push(readCString(args[6] as bigint)) && 0);
  using vulkan = loadVulkan({ driver: TINY!, platform: "linux" });
  using messenger = createMessenger();
  using instance = vulkan.vkCreateInstance({ ppEnabledExtensionNames: [UTILS, REPORT] });
  using _listening = messenger.listen(instance);
  const callback = instance.vkCreateDebugReportCallbackEXT({ flags: 2, pfnCallback: thunk.address });
  const [gpu] = instance.vkEnumeratePhysicalDevices();
  const DRIVER = 1000196000;
  gpu.vkGetPhysicalDeviceProperties2([DRIVER]);
  for (const message of [messenger.messages, heard]) {
    assertEquals(message.length, 1);
    assertStringIncludes(message[0], "Emulation found unrecognized structure type in pProperties->pNext");
  }
  instance.vkDestroyDebugReportCallbackEXT(callback);
  thunk.free();
});
