import { assertEquals } from "@std/assert";
import { findExtension } from "../../../../loader/command/registry/extension.ts";
import { gateInstance, instanceExtensions } from "../../../../loader/terminator/android/instance_extensions.ts";
import type { AndroidLevelOptions } from "../../../../loader/terminator/android/options.ts";
import { loaderVersion } from "../../../../loader/terminator/android/versions.ts";
import { FULL_WINDOWS } from "./fake_windows.ts";

const windowSystem = FULL_WINDOWS;
const offered = (...names: string[]) => names.map((name) => ({ extensionName: name, specVersion: 1 }));

/** The gate over a driver of 1.3 with these extensions; what the driver gets, which hooks are added, what was said. */
function gate(requested: string[], driver: string[], options: AndroidLevelOptions = {}, version = 0x403000) {
  const said: string[] = [];
  const { names, hooks } = gateInstance(requested, {
    loader: loaderVersion(17),
    version,
    driver: offered(...driver),
    options,
    say: (text) => said.push(text),
  });
  return { names, hooks: [...hooks].filter((name) => !name.startsWith("VK_VERSION")), said };
}

Deno.test("instanceExtensions() lists the loader's in AOSP's order, then the driver's", () => {
  const list = instanceExtensions(offered("VK_KHR_device_group_creation"), { release: 14, windowSystem });
  assertEquals(list.map(({ extensionName }) => extensionName), [
    "VK_KHR_surface",
    "VK_KHR_surface_protected_capabilities",
    "VK_KHR_android_surface",
    "VK_EXT_swapchain_colorspace",
    "VK_KHR_get_surface_capabilities2",
    "VK_GOOGLE_surfaceless_query",
    "VK_EXT_surface_maintenance1",
    "VK_EXT_debug_report",
    "VK_KHR_device_group_creation",
  ]);
  assertEquals(list[0].specVersion, findExtension("VK_KHR_surface")!.specVersion);
});

Deno.test("instanceExtensions() adds VK_KHR_surface_maintenance1 from release 17", () => {
  const names = (release: 16 | 17) =>
    instanceExtensions([], { release, windowSystem }).map(({ extensionName }) => extensionName);
  assertEquals(names(17).filter((name) => !names(16).includes(name)), ["VK_KHR_surface_maintenance1"]);
});

Deno.test("instanceExtensions() leaves the driver's debug_report where it is, in the lesser version", () => {
  const driver = [["VK_A", 1], ["VK_EXT_debug_report", 9], ["VK_B", 2]] as const;
  const listed = driver.map(([extensionName, specVersion]) => ({ extensionName, specVersion }));
  assertEquals(instanceExtensions(listed, {}), listed);
  const newer = [{ extensionName: "VK_EXT_debug_report", specVersion: 99 }];
  assertEquals(instanceExtensions(newer, {})[0].specVersion, findExtension("VK_EXT_debug_report")!.specVersion);
});

Deno.test("instanceExtensions() offers windows only as far as there is a window system", () => {
  const driver = offered("VK_KHR_surface");
  assertEquals(instanceExtensions(driver, {}).map(({ extensionName }) => extensionName), [
    "VK_EXT_debug_report",
    "VK_KHR_surface",
  ]);
  const { vkCreateAndroidSurfaceKHR: _, ...rest } = windowSystem;
  const names = instanceExtensions(driver, { windowSystem: rest }).map(({ extensionName }) => extensionName);
  assertEquals([names.includes("VK_KHR_android_surface"), names.filter((name) => name === "VK_KHR_surface").length], [
    false,
    1,
  ]);
});

Deno.test("gateInstance() passes on what the driver has, once, and drops the rest in silence", () => {
  const { names, said } = gate(["VK_B", "VK_A", "VK_B", "VK_missing"], ["VK_A", "VK_B"]);
  assertEquals([names, said], [["VK_B", "VK_A"], []]);
});

Deno.test("gateInstance() drops device extensions and says so", () => {
  const { names, said } = gate(["VK_KHR_swapchain"], ["VK_KHR_swapchain"]);
  assertEquals([names, said], [[], ["Ignored VK_KHR_swapchain: it is a device extension"]]);
});

Deno.test("VK4: gateInstance() keeps the window system's for the loader, debug_report for both", () => {
  const requested = ["VK_KHR_surface", "VK_KHR_android_surface", "VK_EXT_debug_report"];
  const { names, hooks } = gate(requested, requested, { windowSystem });
  assertEquals(names, ["VK_EXT_debug_report"]);
  assertEquals(hooks, ["VK_KHR_swapchain", ...requested]);
  assertEquals(gate(["VK_KHR_surface"], ["VK_KHR_surface"]).names, ["VK_KHR_surface"]);
});

Deno.test("gateInstance() enables what 1.1 took in on a driver of 1.0 that has it", () => {
  const driver = ["VK_KHR_get_physical_device_properties2", "VK_KHR_external_fence_capabilities", "VK_other"];
  assertEquals(gate([], driver, {}, 0x400000).names.toSorted(), driver.slice(0, 2).toSorted());
  assertEquals(gate([], driver, {}, 0x401000).names, []);
});
