import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { readCString } from "../../../../../ffi/cstring.ts";
import { peek64 } from "../../../../../ffi/machine.ts";
import { createThunk } from "../../../../../ffi/thunk/thunk.ts";
import type { DriverSpec } from "../../../../../loader/drivers.ts";
import type { Chained, VkDebugUtilsMessengerCreateInfoEXT, VkInstance } from "../../../../../loader/types.ts";
import { cards, withDrivers } from "../drivers.ts";

const UTILS = "VK_EXT_debug_utils", REPORT = "VK_EXT_debug_report";
const VERBOSE = 1, INFO = 0x10, WARNING = 0x100, ERROR = 0x1000, EVERY_SEVERITY = 0x1111;
const GENERAL = 1, VALIDATION = 2, EVERY_TYPE = 7;
const MESSENGER_INFO = 1000128004, REPORT_INFO = 1000011000;
const QUEUE = { pQueueCreateInfos: [{ queueFamilyIndex: 0, pQueuePriorities: [1] }] };
const FAILING: DriverSpec = { ...cards("failing", "B"), commands: { vkCreateInstance: () => -3 } };

/** Someone who listens, through a callback in native hands. */
class Ear implements Disposable {
  readonly heard: string[] = [];
  readonly #thunk = createThunk("w:wwqq", (severity, types, data, userData) => {
    const MESSAGE = 40n;
    this.heard.push(`${severity} ${types} ${readCString(peek64(data + MESSAGE))} ${userData}`);
    return 0;
  });
  readonly #reported = createThunk("w:wwqqsqqq", (flags, _type, _object, _location, _code, prefix, message) => {
    this.heard.push(`${flags} ${readCString(prefix)}: ${readCString(message)}`);
    return 0;
  });

  info(messageSeverity: number, messageType: number): Chained<VkDebugUtilsMessengerCreateInfoEXT> {
    return { sType: MESSENGER_INFO, messageSeverity, messageType, pfnUserCallback: this.#thunk.address, pUserData: 7n };
  }

  report(flags: number) {
    return { sType: REPORT_INFO, flags, pfnCallback: this.#reported.address } as const;
  }

  [Symbol.dispose](): void {
    this.#thunk.free();
    this.#reported.free();
  }
}

function submit(instance: VkInstance, severity: number, types: number, pMessage: string): void {
  instance.vkSubmitDebugUtilsMessageEXT(severity, types, { pMessage });
}

Deno.test("acceptance 83: a messenger in the chain hears what is said while the instance is made and destroyed", () => {
  using ear = new Ear();
  withDrivers([cards("good", "A"), FAILING], ({ vulkan }) => {
    const info = { ppEnabledExtensionNames: [UTILS], pNext: [ear.info(EVERY_SEVERITY, EVERY_TYPE)] };
    const instance = vulkan.vkCreateInstance(info);
    assertEquals(
      ear.heard.splice(0, 5),
      [
        'vkCreateInstance: applicationName: "", applicationVersion: 0, engineName: "", engineVersion: 0, apiVersion: 0.0.0',
        "vkCreateInstance: Requested 0 instance layer(s):",
        "vkCreateInstance: Requested 1 instance extension(s):",
        `   ${UTILS}`,
        "No valid vk_loader_settings.json file found, no loader settings will be active",
      ].map((text) => `${INFO} ${GENERAL} ${text} 7`),
    );
    assertEquals(ear.heard.map((each) => each.split(" ").slice(0, 2)), [[`${WARNING}`, `${GENERAL}`]]);
    assertStringIncludes(ear.heard[0], "vkCreateInstance in ICD failing. Skipping this driver. 7");
    submit(instance, ERROR, GENERAL, "between");
    assertEquals(ear.heard.length, 1);
    instance.close();
    assertEquals(ear.heard.length, 2);
    assertStringIncludes(ear.heard[1], `${VERBOSE} ${GENERAL} vkDestroyInstance`);
  });
});

Deno.test("acceptance 83: the same for a callback of VK_EXT_debug_report, with or without the extension", () => {
  for (const ppEnabledExtensionNames of [[], [REPORT]]) {
    using ear = new Ear();
    withDrivers([cards("good", "A"), FAILING], ({ vulkan }) => {
      const pNext = [ear.report(0x1f)];
      vulkan.vkCreateInstance({ ppEnabledExtensionNames, pNext }).close();
    });
    const others = ear.heard.filter((each) => !each.startsWith("1 ")); // not what the application requests
    assertEquals(others.map((each) => each.slice(0, each.indexOf(":"))), ["2 Vulkan Loader", "16 Vulkan Loader"]);
  }
});

Deno.test("acceptance 84: messages submitted by hand reach messengers by severity and type, and no driver", () => {
  withDrivers(
    [{ ...cards("with", "A"), instanceExtensions: [UTILS] }, cards("without", "B")],
    ({ vulkan, drivers }) => {
      using errors = new Ear(), validation = new Ear();
      using instance = vulkan.vkCreateInstance({ ppEnabledExtensionNames: [UTILS] });
      const handles = [errors.info(ERROR | WARNING, EVERY_TYPE), validation.info(EVERY_SEVERITY, VALIDATION)]
        .map((info) => instance.vkCreateDebugUtilsMessengerEXT(info));
      assertEquals(drivers.map((driver) => driver.live("VkDebugUtilsMessengerEXT")), [2, 0]);
      submit(instance, ERROR, GENERAL, "one");
      submit(instance, INFO, VALIDATION, "two");
      submit(instance, WARNING, GENERAL | VALIDATION, "three");
      submit(instance, VERBOSE, GENERAL, "four");
      assertEquals(errors.heard, [`${ERROR} ${GENERAL} one 7`, `${WARNING} 3 three 7`]);
      assertEquals(validation.heard, [`${INFO} ${VALIDATION} two 7`, `${WARNING} 3 three 7`]);
      assert(!drivers[0].calls.includes("vkSubmitDebugUtilsMessageEXT"));
      for (const handle of handles) instance.vkDestroyDebugUtilsMessengerEXT(handle);
      assertEquals(drivers.map((driver) => driver.live("VkDebugUtilsMessengerEXT")), [0, 0]);
      submit(instance, ERROR, GENERAL, "five");
      assertEquals(errors.heard.length, 2);
    },
  );
});

Deno.test("acceptance 84: the same for VK_EXT_debug_report, by its flags", () => {
  withDrivers([cards("good", "A")], ({ vulkan }) => {
    using ear = new Ear();
    using instance = vulkan.vkCreateInstance({ ppEnabledExtensionNames: [REPORT] });
    const handle = instance.vkCreateDebugReportCallbackEXT(ear.report(8));
    instance.vkDebugReportMessageEXT(8, 0, 0n, 0, 0, "test", "an error");
    instance.vkDebugReportMessageEXT(1, 0, 0n, 0, 0, "test", "news");
    instance.vkDestroyDebugReportCallbackEXT(handle);
    assertEquals(ear.heard, ["8 test: an error"]);
  });
});

Deno.test("a driver whose messenger cannot be made fails the command, and the others' are destroyed", () => {
  const refusing: DriverSpec = {
    ...cards("refusing", "A"),
    instanceExtensions: [UTILS],
    commands: { vkCreateDebugUtilsMessengerEXT: () => -1 },
  };
  withDrivers([{ ...cards("with", "B"), instanceExtensions: [UTILS] }, refusing], ({ vulkan, drivers }) => {
    using ear = new Ear();
    using instance = vulkan.vkCreateInstance({ ppEnabledExtensionNames: [UTILS] });
    let result = 0;
    try {
      instance.vkCreateDebugUtilsMessengerEXT(ear.info(ERROR, GENERAL));
    } catch (error) {
      result = (error as { code: number }).code;
    }
    assertEquals([result, drivers[0].live("VkDebugUtilsMessengerEXT")], [-1, 0]);
  });
});

/** VkObjectType of what is named. */
const OBJECTS = { instance: 1, physicalDevice: 2, device: 3 };

for (const [line, command] of [[85, "vkSetDebugUtilsObjectNameEXT"], [86, "vkSetDebugUtilsObjectTagEXT"]] as const) {
  Deno.test(`acceptance ${line}: ${command} names the driver's own objects, and what is not ours as it is`, () => {
    const named: [number, bigint][] = [];
    const note = (_next: unknown, _device: bigint, info: bigint) => {
      named.push([Number(peek64(info + 16n) & 0xffff_ffffn), peek64(info + 24n)]);
      return 0;
    };
    const spec: DriverSpec = {
      ...cards("with", "A"),
      instanceExtensions: [UTILS],
      commands: {
        vkSetDebugUtilsObjectNameEXT: note,
        vkSetDebugUtilsObjectTagEXT: note,
        vkCreateDevice(next, gpu, info, allocator, out) {
          own.push(gpu);
          return next(gpu, info, allocator, out);
        },
      },
    };
    const own: bigint[] = [];
    withDrivers([cards("other", "B"), spec], ({ vulkan }) => {
      using instance = vulkan.vkCreateInstance({ ppEnabledExtensionNames: [UTILS] });
      const gpu = instance.vkEnumeratePhysicalDevices()[0];
      using device = gpu.vkCreateDevice(QUEUE);
      const buffer = device.vkCreateBuffer({ size: 16n, usage: 1 }), BUFFER = 9;
      const name = (objectType: number, objectHandle: bigint) =>
        command === "vkSetDebugUtilsObjectNameEXT"
          ? device.vkSetDebugUtilsObjectNameEXT({ objectType, objectHandle, pObjectName: "name" })
          : device.vkSetDebugUtilsObjectTagEXT({ objectType, objectHandle, tagName: 1n, pTag: new Uint8Array(4) });
      name(OBJECTS.instance, instance.handle);
      name(OBJECTS.physicalDevice, gpu.handle);
      name(OBJECTS.device, device.handle);
      name(BUFFER, buffer);
      assertEquals(named.map(([type]) => type), [OBJECTS.instance, OBJECTS.physicalDevice, OBJECTS.device, BUFFER]);
      assertEquals(named.slice(1).map(([, handle]) => handle), [own[0], device.handle, buffer]);
      assert(named[0][1] !== 0n && named[0][1] !== instance.handle);
    });
  });
}

Deno.test("names and labels do nothing on a driver that does not have VK_EXT_debug_utils", () => {
  withDrivers([cards("without", "A")], ({ vulkan }) => {
    using instance = vulkan.vkCreateInstance({ ppEnabledExtensionNames: [UTILS] });
    using device = instance.vkEnumeratePhysicalDevices()[0].vkCreateDevice(QUEUE);
    const name = { objectType: 3, objectHandle: device.handle, pObjectName: "it" };
    const queue = device.vkGetDeviceQueue(0, 0);
    const results = [
      device.vkSetDebugUtilsObjectNameEXT(name),
      queue.vkQueueBeginDebugUtilsLabelEXT({ pLabelName: "begin" }),
      queue.vkQueueEndDebugUtilsLabelEXT(),
    ];
    assertEquals(results, [undefined, undefined, undefined]);
  });
});
