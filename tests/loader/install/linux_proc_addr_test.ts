import { assertEquals } from "@std/assert";
import { arena } from "../../../ffi/arena.ts";
import { cstring } from "../../../ffi/cstring.ts";
import { loadVulkan } from "../../../loader/mod.ts";
import { findExtension } from "../../../loader/command/registry/extension.ts";
import { findCommand } from "../../../loader/command/registry/table.ts";
import { VK_MAKE_API_VERSION } from "../../../loader/version.ts";
import { AndroidDriverFixture, extensions, NEEDS_DRIVER } from "../terminator/android/fixture.ts";
import { type Asked, checkNative, checkScript, type Row, type Wanted, withAsked } from "./proc_addr_rows.ts";

/** A driver that answers for the commands of extensions whether or not they are enabled. */
const driver = new AndroidDriverFixture("extended", {
  INSTANCE_EXTENSIONS: extensions("VK_EXT_debug_report"),
  DEVICE_EXTENSIONS: extensions("VK_KHR_swapchain"),
});
const GLOBALS = [
  "vkCreateInstance",
  "vkEnumerateInstanceVersion",
  "vkEnumerateInstanceExtensionProperties",
  "vkEnumerateInstanceLayerProperties",
];
const CORE = [0, 1, 2, 3, 4].flatMap((minor) => findExtension(`VK_VERSION_1_${minor}`)!.commands)
  .filter((name) => !GLOBALS.includes(name));

function asking(wanted: Wanted, use: (asked: Asked) => void): void {
  using vulkan = loadVulkan({ driver: driver.path, platform: "linux" });
  withAsked(vulkan, wanted, use);
}

/** Checks rows by native code and by a script. */
function check(wanted: Wanted, rows: readonly Row[]): void {
  asking(wanted, (asked) => {
    checkNative(asked, rows);
    checkScript(asked, rows);
  });
}

const version = (minor: number) => ({ pApplicationInfo: { apiVersion: VK_MAKE_API_VERSION(0, 1, minor, 0) } });

Deno.test("acceptance 71: without an instance there are the global commands and nothing else", NEEDS_DRIVER, () => {
  check({}, [
    ...[...GLOBALS, "vkGetInstanceProcAddr"].map((name): Row => ["global", "NULL", name, "export"]),
    ...CORE.filter((name) => name !== "vkGetInstanceProcAddr").map((name): Row => ["not global", "NULL", name, "none"]),
    ["not global", "NULL", "vkCreateSwapchainKHR", "none"],
  ]);
});

Deno.test(
  "acceptance 71: with an instance the global commands are there only for applications before 1.3",
  NEEDS_DRIVER,
  () => {
    const rows = (answer: Row[3]) => GLOBALS.map((name): Row => ["global", "instance", name, answer]);
    for (const info of [{}, version(0), version(2)]) check({ info }, rows("export"));
    for (const info of [version(3), version(4)]) check({ info }, rows("none"));
  },
);

Deno.test("acceptance 72: every core command is the exported function, whatever the versions", NEEDS_DRIVER, () => {
  for (const info of [version(0), version(4)]) {
    asking({ info }, (asked) => checkNative(asked, CORE.map((name): Row => ["core", "instance", name, "export"])));
  }
});

Deno.test("acceptance 72: instance extensions are there once they are enabled", NEEDS_DRIVER, () => {
  const name = "vkCreateDebugReportCallbackEXT";
  check({}, [["not enabled", "instance", name, "none"]]);
  check({ info: { ppEnabledExtensionNames: ["VK_EXT_debug_report"] } }, [["enabled", "instance", name, "function"]]);
});

Deno.test("acceptance 73: vkGetDeviceProcAddr hides extensions that are not enabled", NEEDS_DRIVER, () => {
  const name = "vkCreateSwapchainKHR", ppEnabledExtensionNames = ["VK_KHR_swapchain"];
  check({}, [["not enabled", "device", name, "none"]]);
  check({ deviceInfo: { ppEnabledExtensionNames } }, [["enabled", "device", name, "function"]]);
});

Deno.test("acceptance 73: maintenance5 hides core commands newer than the application's version", NEEDS_DRIVER, () => {
  const features = [
    { sType: 1000470000 as const, maintenance5: true },
    { sType: 55 as const, maintenance5: true },
  ];
  const rows = (answer: Row[3]): Row[] => [
    ["newer", "device", "vkGetDeviceQueue2", answer],
    ["newer", "device", "vkBindImageMemory2", answer],
    ["as old", "device", "vkQueueSubmit", "function"],
  ];
  for (const pNext of features) {
    check({ info: version(0), deviceInfo: { pNext } }, rows("none"));
    check({ info: version(1), deviceInfo: { pNext } }, rows("function"));
    check({ info: version(0), deviceInfo: { pNext: { ...pNext, maintenance5: false } } }, rows("function"));
  }
});

Deno.test("acceptance 75: near misses and names that are none give NULL", NEEDS_DRIVER, () => {
  const names = [
    "",
    "vk",
    "vkQueueSubmi",
    "vkQueueSubmitX",
    "VkQueueSubmit",
    " vkQueueSubmit",
    "vkQueueSubmit ",
    "QueueSubmit",
  ];
  const odd = ["vkQueueSubmit\n", "vkQueueSubmít", "%s%n", "vk".repeat(3000), "vkCreateInstance\u{1F30B}"];
  const of = ["NULL", "instance", "NULL device", "device"] as const;
  check({}, [...names, ...odd].flatMap((name) => of.map((each): Row => ["no command", each, name, "none"])));
});

Deno.test("vkGetDeviceProcAddr knows commands of devices alone, and none without a device", NEEDS_DRIVER, () => {
  const other = CORE.filter((name) => findCommand(name)!.level !== "device");
  check({}, [
    ...[...other, ...GLOBALS].map((name): Row => ["no device command", "device", name, "none"]),
    ...["vkQueueSubmit", "vkDestroyDevice"].map((name): Row => ["no device", "NULL device", name, "none"]),
    ["the loader's", "device", "vkGetDeviceProcAddr", "export"],
    ["the loader's", "device", "vkDestroyDevice", "function"],
  ]);
});

Deno.test(
  "a name that is NULL gives NULL, and so does a global command of a loader that is not installed",
  NEEDS_DRIVER,
  () => {
    asking({}, ({ vulkan, instance, device }) => {
      assertEquals(vulkan.raw.vkGetInstanceProcAddr(0n, 0n), 0n);
      assertEquals(vulkan.raw.vkGetInstanceProcAddr(instance.handle, 0n), 0n);
      assertEquals(instance.raw.vkGetInstanceProcAddr(instance.handle, 0n), 0n);
      assertEquals(device.raw.vkGetDeviceProcAddr(device.handle, 0n), 0n);
    });
    using vulkan = loadVulkan({ driver: driver.path, platform: "linux" });
    const memory = arena(), mark = memory.mark();
    assertEquals(vulkan.raw.vkGetInstanceProcAddr(0n, memory.place(cstring("vkCreateInstance"))), 0n);
    memory.release(mark);
  },
);

Deno.test("native code is given a function for a command that no driver has, a script NULL", NEEDS_DRIVER, () => {
  const row = (answer: Row[3]): Row => ["known", "instance", "vkCmdDrawMeshTasksEXT", answer];
  asking({}, (asked) => {
    checkNative(asked, [row("function")]);
    checkScript(asked, [row("none")]);
  });
});

Deno.test("a command that is not there fails for native code, even one that every driver has", NEEDS_DRIVER, () => {
  asking({}, ({ native, device }) => {
    assertEquals(native.call("vkDeviceWaitIdle", [device.handle]), -7);
    assertEquals(native.ofDevice(device.handle, "vkDeviceWaitIdle"), 0n);
  });
});
