import { assertEquals, assertThrows } from "@std/assert";
import { arena } from "../../../../ffi/arena.ts";
import { invokeAddress } from "../../../../ffi/machine.ts";
import { openDriver } from "../../../../loader/driver/interface/driver.ts";
import { driverProc } from "../../../../loader/driver/interface/probe.ts";
import { behindAndroid } from "../../../../loader/terminator/android/behind_android.ts";
import { VulkanError } from "../../../../loader/mod.ts";
import { VK_MAKE_API_VERSION } from "../../../../loader/version.ts";
import { struct, withChains } from "./chains.ts";
import { windowsAt } from "./fake_windows.ts";
import { AndroidDriverFixture, extensions, lacks, NEEDS_DRIVER } from "./fixture.ts";

const version = (minor: number) => VK_MAKE_API_VERSION(0, 1, minor, 0);
const plain = new AndroidDriverFixture("");
const old = new AndroidDriverFixture("icd_1_0", {
  VERSION: 0,
  INSTANCE_EXTENSIONS: extensions("VK_KHR_device_group_creation", "VK_A"),
});

/** The create info that the driver is given when an application asks for these. */
function given(fixture: AndroidDriverFixture, apiVersion: number, names: string[] = [], options = {}): string {
  const info = { pApplicationInfo: { apiVersion }, ppEnabledExtensionNames: names };
  return fixture.watching(() => fixture.withInstance(() => {}, { info, ...options }))[0];
}

/** The result a driver leads vkCreateInstance and vkCreateDevice to. */
function failure(fixture: AndroidDriverFixture, options = {}): [command: string, result: number] {
  return fixture.holding(() => {
    const error = assertThrows(() => fixture.withDevice(() => {}, options), VulkanError);
    assertEquals([fixture.count("instances"), fixture.count("devices")], [0, 0]);
    return [error.command, error.code];
  });
}

Deno.test("vkEnumerateInstanceVersion is the loader's, whatever the driver's", NEEDS_DRIVER, () => {
  for (const fixture of [plain, old]) {
    for (const [release, minor] of [[undefined, 4], [17, 4], [16, 4], [15, 3], [14, 3]] as const) {
      using vulkan = fixture.load({ release });
      assertEquals(vulkan.vkEnumerateInstanceVersion(), version(minor));
    }
  }
});

Deno.test("a driver of 1.0 is told 1.0, one of 1.3 is told 1.3 from release 17", NEEDS_DRIVER, () => {
  assertEquals(
    given(old, version(3), ["VK_A"]),
    "instance version=400000 layers=0 next=0 VK_A VK_KHR_device_group_creation",
  );
  assertEquals(given(old, 0), "instance version=0 layers=0 next=0 VK_KHR_device_group_creation");
  assertEquals(given(plain, version(4)), "instance version=403000 layers=0 next=0");
  assertEquals(given(plain, version(4), [], { release: 16 }), "instance version=404000 layers=0 next=0");
  assertEquals(given(plain, version(2)), "instance version=402000 layers=0 next=0");
});

Deno.test("a driver that cannot say its version fails vkCreateInstance with that error", NEEDS_DRIVER, () => {
  const failing = new AndroidDriverFixture("version_fails", { VERSION: -2 });
  assertEquals(failure(failing), ["vkCreateInstance", -2]);
});

Deno.test("the driver gets neither layers nor what the loader puts before the chain", NEEDS_DRIVER, () => {
  using driver = behindAndroid(openDriver(plain.path));
  const memory = arena(), mark = memory.mark(), out = memory.address(memory.alloc(8));
  const link = memory.alloc(16),
    rest = struct("VkDebugUtilsMessengerCreateInfoEXT", {
      messageSeverity: 1,
      messageType: 1,
      pfnUserCallback: 1n,
    });
  memory.view.setUint32(link, 47, true);
  memory.view.setBigUint64(link + 8, rest, true);
  const info = struct("VkInstanceCreateInfo", { ppEnabledLayerNames: ["VK_LAYER_A"], pNext: memory.address(link) });
  plain.seen();
  assertEquals(invokeAddress(driverProc(driver, 0n, "vkCreateInstance"), "s:qqq", [info, 0n, out]), 0);
  assertEquals(plain.seen(), ["instance version=0 layers=0 next=1000128004"]);
  const instance = memory.view.getBigUint64(Number(out - memory.base), true);
  invokeAddress(driverProc(driver, instance, "vkDestroyInstance"), "v:qq", [instance, 0n]);
  memory.release(mark);
});

Deno.test("the application's allocator goes to the driver as it is", NEEDS_DRIVER, () => {
  using vulkan = plain.load();
  plain.seen();
  const memory = arena(), callbacks = memory.alloc(48), allocator = memory.address(callbacks), out = memory.alloc(8);
  memory.bytes.fill(0, callbacks, callbacks + 48); // without functions nothing can be allocated by the loader itself
  const info = struct("VkInstanceCreateInfo", {});
  assertEquals(vulkan.raw.vkCreateInstance(info, allocator, memory.address(out)), 0);
  assertEquals(plain.seen(), ["instance with allocator version=0 layers=0 next=0"]);
});

Deno.test("a driver that lacks a required command is incompatible, and nothing stays", NEEDS_DRIVER, () => {
  const without = (name: string) => new AndroidDriverFixture(`no_${name}`, { LACKS: lacks(name) });
  for (const name of ["vkGetPhysicalDeviceProperties", "vkCreateDevice", "vkGetDeviceProcAddr"]) {
    assertEquals(failure(without(name)), ["vkCreateInstance", -9], name);
  }
  for (const name of ["vkGetDeviceQueue", "vkQueueSubmit", "vkCreateImage", "vkAllocateCommandBuffers"]) {
    assertEquals(failure(without(name)), ["vkCreateDevice", -9], name);
  }
});

Deno.test("an extension whose commands a driver lacks makes it incompatible", NEEDS_DRIVER, () => {
  const name = "VK_EXT_debug_report", info = { ppEnabledExtensionNames: [name] };
  const flags = { INSTANCE_EXTENSIONS: extensions(name), LACKS: lacks("vkDebugReportMessageEXT") };
  assertEquals(failure(new AndroidDriverFixture("no_message", flags), { info }), ["vkCreateInstance", -9]);
});

Deno.test("native buffers need their commands, of the gralloc ones at least one", NEEDS_DRIVER, () => {
  const DEVICE_EXTENSIONS = extensions(["VK_ANDROID_native_buffer", 8]), windowSystem = windowsAt(1n);
  const make = (variant: string, ...names: string[]) =>
    new AndroidDriverFixture(variant, { DEVICE_EXTENSIONS, LACKS: lacks(...names) });
  const asked = { windowSystem, extensions: ["VK_KHR_swapchain"] };
  assertEquals(failure(make("no_acquire", "vkAcquireImageANDROID"), asked), ["vkCreateDevice", -9]);
  assertEquals(failure(make("no_usage", "vkGetSwapchainGrallocUsage2ANDROID"), asked), ["vkCreateDevice", -9]);
  const whole = make("anb");
  assertEquals(
    whole.watching(() => whole.withDevice(() => {}, asked)).find((line) => line.startsWith("device ")),
    "device version=0 layers=0 next=0 VK_ANDROID_native_buffer",
  );
});

Deno.test(
  "a device whose version has a variant is as good as without; unknown under AOSP's quirks",
  NEEDS_DRIVER,
  () => {
    const odd = new AndroidDriverFixture("variant", { DEVICE_VERSION: "(1u<<29|1u<<22|3u<<12)" });
    odd.withDevice((device) => device.vkGetDeviceQueue2({ queueFamilyIndex: 0, queueIndex: 0 }));
    assertEquals(failure(odd, { quirks: "aosp" }), ["vkCreateDevice", -3]);
  },
);

Deno.test("instances and devices come and go side by side", NEEDS_DRIVER, () => {
  const counts = () => [plain.count("instances"), plain.count("devices")];
  plain.holding(() => {
    withChains(plain, {}, () => withChains(plain, {}, () => assertEquals(counts(), [2, 2])));
    assertEquals(counts(), [0, 0]);
  });
});
