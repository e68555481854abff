import { assert, assertEquals, assertStrictEquals } from "@std/assert";
import { findCommand } from "../../../loader/command/registry/table.ts";
import { androidExports, androidSurface, linuxExports, linuxSurface } from "../../../loader/install/exports.ts";

const level = (name: string) => findCommand(name)?.level;

Deno.test("linuxExports() are Linux's 269 names, each once", () => {
  const names = linuxExports();
  assertEquals([names.length, new Set(names).size], [269, 269]);
});

Deno.test("VK3: androidExports() are core and what applications link, no other window system", () => {
  const names = androidExports(15);
  assertEquals([names.length, new Set(names).size], [233, 233]);
  for (
    const name of [
      "vkGetDeviceImageSparseMemoryRequirements",
      "vkCreateAndroidSurfaceKHR",
      "vkAcquireNextImage2KHR",
      "vkGetMemoryAndroidHardwareBufferANDROID",
      "vkGetImageSubresourceLayout2EXT",
    ]
  ) assert(names.includes(name), name);
  for (const name of ["vkCreateXcbSurfaceKHR", "vkGetPhysicalDeviceSurfaceCapabilities2KHR", "vkMapMemory2"]) {
    assert(!names.includes(name), name);
  }
});

Deno.test("androidExports() has the core commands of 1.4 from release 16", () => {
  assertEquals(androidExports(14), androidExports(15));
  const added = androidExports(16).filter((name) => !androidExports(15).includes(name));
  assertEquals([added.length, added.includes("vkMapMemory2"), androidExports(16)], [19, true, androidExports()]);
});

Deno.test("androidSurface() and linuxSurface() know what vkGetInstanceProcAddr always answers for: 205 names on Android up to 15", () => {
  const globals = ["vkCreateInstance", "vkEnumerateInstanceVersion"].concat(
    ["Layer", "Extension"].map((what) => `vkEnumerateInstance${what}Properties`),
  );
  assertEquals(new Set([...androidSurface(15).always, ...globals]).size, 205);
  assertEquals(androidSurface(15).always.has("vkGetPhysicalDeviceFeatures2"), false);
  assertEquals([...linuxSurface().always].filter((name) => level(name) === undefined), []);
  assertEquals(linuxSurface().always.has("vkCreateSwapchainKHR"), false);
  assertStrictEquals(linuxSurface(), linuxSurface());
});
