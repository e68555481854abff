import { assertEquals } from "@std/assert";
import { openBlocks } from "../../../ffi/block.ts";
import { Library } from "../../../ffi/library/library.ts";
import { invokeAddress } from "../../../ffi/machine.ts";
import { loadVulkan } from "../../../loader/mod.ts";
import { compileFixture } from "../../support/compile.ts";
import { fixture, NEEDS_FIXTURE } from "../../ffi/fixture.ts";

const SURFACE = ["VK_KHR_surface", "VK_EXT_headless_surface"];
const drivers = ["", "second"].map((variant) => compileFixture("careful_driver", [], variant)!);

/** The number of objects of each driver that are left. */
function left(): number[] {
  return drivers.map((path) => {
    using library = Library.open(path);
    return invokeAddress(library.require("careful_left"), "s:", []) as number;
  });
}

Deno.test("what another thread destroys is destroyed in all drivers before the call returns", NEEDS_FIXTURE, () => {
  using vulkan = loadVulkan({ driver: drivers, platform: "linux" });
  using installed = vulkan.install();
  using library = Library.open("libvulkan.so.1");
  vulkan.vkCreateInstance({ ppEnabledExtensionNames: SURFACE }).close(); // what stays for good is there
  const before = openBlocks(), instance = vulkan.vkCreateInstance({ ppEnabledExtensionNames: SURFACE });
  const surfaces = [1, 2, 3].map(() => instance.vkCreateHeadlessSurfaceEXT({}));
  instance.vkDestroySurfaceKHR(surfaces[1]);
  assertEquals([left(), installed.instances().length], [[3, 3], 1]);
  // The other thread is waited for, so it must not need this one. What is left of surfaces goes, too.
  invokeAddress(fixture("call3_on_thread"), "q:qqqq", [library.require("vkDestroyInstance"), instance.handle, 0n, 0n]);
  assertEquals([left(), installed.instances(), openBlocks()], [[0, 0], [], before]);
});

Deno.test("a surface's memory is given back after another thread has destroyed it", NEEDS_FIXTURE, () => {
  using vulkan = loadVulkan({ driver: drivers, platform: "linux" });
  using _installed = vulkan.install();
  using library = Library.open("libvulkan.so.1");
  using instance = vulkan.vkCreateInstance({ ppEnabledExtensionNames: SURFACE });
  const destroy = library.require("vkDestroySurfaceKHR"), on = fixture("call3_on_thread");
  const blocks = openBlocks();
  for (let round = 0; round < 3; round++) {
    invokeAddress(on, "q:qqqq", [destroy, instance.handle, instance.vkCreateHeadlessSurfaceEXT({}), 0n]);
    invokeAddress(on, "q:qqqq", [destroy, instance.handle, 0n, 0n]);
    assertEquals([left(), openBlocks() - blocks], [[1, 1], 1]);
  }
});
