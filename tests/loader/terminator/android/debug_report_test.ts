import { assertEquals, assertThrows } from "@std/assert";
import type { VkDebugReportCallbackCreateInfoEXT } from "../../../../loader/gen/types_ext_gen.ts";
import type { VkInstance } from "../../../../loader/gen/types_core_gen.ts";
import { type AndroidApp, defineLayer, VulkanError, type VulkanOptions } from "../../../../loader/mod.ts";
import { fakeHost } from "../../driver/fake_host.ts";
import { AndroidDriverFixture, extensions, lacks, NEEDS_DRIVER } from "./fixture.ts";

const NAME = "VK_EXT_debug_report", ERROR = 8, WARNING = 2;
const plain = new AndroidDriverFixture("");
const reporting = new AndroidDriverFixture("reporting", { INSTANCE_EXTENSIONS: extensions([NAME, 9]) });
const CALLBACK_INFO = 1000011000 as const;

function listening(fixture: AndroidDriverFixture, flags = WARNING): VkDebugReportCallbackCreateInfoEXT {
  return { flags, pfnCallback: fixture.address("android_listener") as never, pUserData: 0x70n };
}

/** The calls that the driver sees between making an instance with the extension and destroying it. */
function watch(
  fixture: AndroidDriverFixture,
  use: (instance: VkInstance) => void,
  options: VulkanOptions = {},
): string[] {
  const info = { ppEnabledExtensionNames: [NAME] };
  return fixture.watching(() => fixture.withInstance(use, { info, ...options })).slice(1);
}

Deno.test("debug_report callbacks are the loader's handles, and the driver's behind them", NEEDS_DRIVER, () => {
  const lines = watch(reporting, (instance) => {
    const first = instance.vkCreateDebugReportCallbackEXT(listening(reporting));
    const second = instance.vkCreateDebugReportCallbackEXT(listening(reporting));
    assertEquals([first === second, first === 77n as never], [false, false]);
    instance.vkDestroyDebugReportCallbackEXT(second);
    instance.vkDestroyDebugReportCallbackEXT(first);
    instance.vkDestroyDebugReportCallbackEXT(first); // wrong, and kept from the driver
  });
  assertEquals(lines, ["create callback", "create callback", "destroy callback 77", "destroy callback 77"]);
});

Deno.test("debug_report messages go to the driver, or to the callbacks if it has none", NEEDS_DRIVER, () => {
  const message = (instance: VkInstance) => {
    instance.vkDebugReportMessageEXT(WARNING, 1, 0n, 0, 5, "tests", "hello");
  };
  assertEquals(watch(reporting, message), ["message"]);
  plain.holding(() => {
    watch(plain, (instance) => {
      const callback = instance.vkCreateDebugReportCallbackEXT(listening(plain));
      message(instance);
      assertEquals(plain.told(), "2 1 tests hello 0x70");
      instance.vkDebugReportMessageEXT(ERROR, 1, 0n, 0, 5, "tests", "not for this one");
      assertEquals(plain.told(), "2 1 tests hello 0x70");
      instance.vkDestroyDebugReportCallbackEXT(callback);
    });
  });
});

/** A layer by which names get as far as the driver level that are wrong there. */
const BRINGING = defineLayer({
  name: "VK_LAYER_TEST_bringing",
  instanceExtensions: [{ extensionName: "VK_KHR_swapchain", specVersion: 1 }],
  deviceExtensions: [{ extensionName: "VK_KHR_surface", specVersion: 1 }],
});

Deno.test("callbacks hear what the loader says", NEEDS_DRIVER, () => {
  const long = "VK_KHR_surface", info = { ppEnabledExtensionNames: [NAME] };
  plain.holding(() => {
    plain.withInstance((instance) => {
      instance.vkCreateDebugReportCallbackEXT(listening(plain));
      const [gpu] = instance.vkEnumeratePhysicalDevices();
      using _device = gpu.vkCreateDevice({
        pQueueCreateInfos: [{ queueFamilyIndex: 0, pQueuePriorities: [1] }],
        ppEnabledExtensionNames: [long],
      });
      assertEquals(plain.told(), "2 2 vulkan Ignored VK_KHR_surface: it is an instance extension 0x70");
    }, { info, layers: [BRINGING] });
  });
  const short = new AndroidDriverFixture("much_missing", {
    LACKS: lacks("vkGetPhysicalDeviceProperties"),
    INSTANCE_EXTENSIONS: extensions(
      "VK_KHR_get_physical_device_properties2",
      "VK_KHR_external_memory_capabilities",
      NAME,
    ),
  });
  short.holding(() => {
    const names = ["VK_KHR_get_physical_device_properties2", "VK_KHR_external_memory_capabilities"];
    const pNext = [{ sType: CALLBACK_INFO, ...listening(short, ERROR) }];
    const made = () => short.withInstance(() => {}, { info: { pNext, ppEnabledExtensionNames: names } });
    assertEquals(assertThrows(made, VulkanError).code, -9);
    assertEquals(short.told().startsWith("8 1 vulkan The driver is incompatible: it has no vkGetPhysicalDevice"), true);
  });
});

Deno.test(
  "callbacks in VkInstanceCreateInfo hear what is said while the instance is made, and no more",
  NEEDS_DRIVER,
  () => {
    plain.holding(() => {
      const pNext = [{ sType: CALLBACK_INFO, ...listening(plain) }];
      plain.withInstance((instance) => {
        const said = "2 1 vulkan Ignored VK_KHR_swapchain: it is a device extension 0x70";
        assertEquals(plain.told(), said);
        const [gpu] = instance.vkEnumeratePhysicalDevices();
        const queues = [{ queueFamilyIndex: 0, pQueuePriorities: [1] }];
        using _device = gpu.vkCreateDevice({ pQueueCreateInfos: queues, ppEnabledExtensionNames: ["VK_KHR_surface"] });
        assertEquals(plain.told(), said);
      }, { info: { pNext, ppEnabledExtensionNames: ["VK_KHR_swapchain"] }, layers: [BRINGING] });
    });
  },
);

Deno.test("callbacks left behind go with their instance; under AOSP's quirks the driver's stay", NEEDS_DRIVER, () => {
  for (const [quirks, left] of [[undefined, 0], ["aosp", 1]] as const) {
    reporting.holding(() => {
      watch(reporting, (instance) => void instance.vkCreateDebugReportCallbackEXT(listening(reporting)), { quirks });
      assertEquals(reporting.count("callbacks"), left);
    });
  }
});

const RELEASED: AndroidApp = {}, DEBUGGABLE: AndroidApp = { debuggable: true };

Deno.test("debug.vulkan.enable_callback logs what there is to hear, for who may debug", NEEDS_DRIVER, async () => {
  const heard = async (property: string, app: AndroidApp, more: Record<string, string> = {}) => {
    const said: string[] = [], log = (text: string) => said.push(text), isRefused = app === RELEASED;
    const properties = { "debug.vulkan.enable_callback": property, ...more }, host = fakeHost({ system: "android" });
    const lines = plain.watching(() =>
      plain.withInstance((instance) => {
        if (property === "1" && !isRefused) instance.vkDebugReportMessageEXT(WARNING, 1, 0n, 0, 5, "tests", "hello");
      }, { systemProperties: properties, host, log, app })
    );
    await Promise.resolve();
    return [said.at(-1), lines.length];
  };
  assertEquals(await heard("1", DEBUGGABLE), ["tests: hello", 1]);
  assertEquals(await heard("1", { injectLayers: true }), ["tests: hello", 1]);
  assertEquals(await heard("1", {}, { "ro.debuggable": "1" }), ["tests: hello", 1]);
  for (const [property, app] of [["1", RELEASED], ["0", DEBUGGABLE]] as const) {
    assertEquals((await heard(property, app))[0] === "tests: hello", false);
  }
});
