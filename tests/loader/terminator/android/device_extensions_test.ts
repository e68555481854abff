import { assertEquals } from "@std/assert";
import {
  deviceExtensions,
  type DeviceFacts,
  gateDevice,
} from "../../../../loader/terminator/android/device_extensions.ts";
import type { AndroidLevelOptions } from "../../../../loader/terminator/android/options.ts";
import { FULL_WINDOWS } from "./fake_windows.ts";

const windowSystem = FULL_WINDOWS, ANB = "VK_ANDROID_native_buffer";
const NOTHING: DeviceFacts = {
  apiVersion: () => 0x400000,
  sharedImage: () => false,
  compressionControl: () => false,
  importsSyncFd: () => false,
};
const EVERYTHING: DeviceFacts = {
  apiVersion: () => 0x402000,
  sharedImage: () => true,
  compressionControl: () => true,
  importsSyncFd: () => true,
};

function shown(driver: [name: string, version: number][], options: AndroidLevelOptions, facts = NOTHING): string[] {
  const list = deviceExtensions(
    driver.map(([extensionName, specVersion]) => ({ extensionName, specVersion })),
    options,
    facts,
  );
  return list.map(({ extensionName: name, specVersion }) =>
    driver.some(([own]) => own === name) || name === "VK_KHR_swapchain" ? `${name} ${specVersion}` : name
  );
}

/** The gate over a driver with these extensions; what the driver gets, which hooks are added, what was said. */
function gate(requested: string[], driver: string[], options: AndroidLevelOptions = { windowSystem }) {
  const said: string[] = [];
  const list = driver.map((extensionName) => ({ extensionName, specVersion: 1 }));
  const { names, hooks } = gateDevice(requested, {
    driver: list,
    options,
    versions: [],
    say: (text) => said.push(text),
  });
  return { names, hooks: [...hooks], said };
}

Deno.test("deviceExtensions() renames the native buffers in place, by their version", () => {
  const around = (version: number) => shown([["VK_A", 1], [ANB, version], ["VK_B", 1]], { windowSystem, release: 14 });
  assertEquals(around(8), ["VK_KHR_incremental_present", "VK_A 1", "VK_KHR_swapchain 70", "VK_B 1"]);
  assertEquals(around(7), ["VK_KHR_incremental_present", "VK_A 1", "VK_KHR_swapchain 68", "VK_B 1"]);
});

Deno.test("VK25: deviceExtensions() never shows the native buffers", () => {
  assertEquals(shown([[ANB, 11], ["VK_KHR_swapchain", 70]], {}), ["VK_KHR_swapchain 70"]);
  assertEquals(shown([[ANB, 11], ["VK_KHR_swapchain", 1]], { windowSystem, release: 14 }), [
    "VK_KHR_incremental_present",
    "VK_KHR_swapchain 70",
  ]);
});

Deno.test("deviceExtensions() adds what properties and the device allow, in AOSP's order", () => {
  const on = new Set(["ro.surface_flinger.has_HDR_display", "service.sf.present_timestamp"]);
  const property = (name: string) => on.has(name) ? "true" : "";
  assertEquals(shown([[ANB, 9]], { windowSystem, release: 14, property }, EVERYTHING), [
    "VK_KHR_incremental_present",
    "VK_EXT_hdr_metadata",
    "VK_KHR_shared_presentable_image",
    "VK_GOOGLE_display_timing",
    "VK_EXT_image_compression_control",
    "VK_EXT_image_compression_control_swapchain",
    "VK_EXT_swapchain_maintenance1",
    "VK_KHR_swapchain 70",
  ]);
});

Deno.test("deviceExtensions() asks for each condition by itself", () => {
  const added = (options: AndroidLevelOptions, facts: Partial<DeviceFacts>, version = 9) =>
    shown([[ANB, version]], { windowSystem, release: 14, ...options }, { ...NOTHING, ...facts }).slice(1, -1);
  const only = (wanted: string) => ({ property: (name: string) => name === wanted ? "1" : "" });
  assertEquals(added({}, {}), []);
  assertEquals(added(only("ro.surface_flinger.has_HDR_display"), {}), ["VK_EXT_hdr_metadata"]);
  assertEquals(added(only("service.sf.present_timestamp"), {}), ["VK_GOOGLE_display_timing"]);
  assertEquals(added({}, { sharedImage: () => true }), ["VK_KHR_shared_presentable_image"]);
  assertEquals(added({}, { importsSyncFd: () => true }), ["VK_EXT_swapchain_maintenance1"]);
  assertEquals(added({}, { compressionControl: () => true }).length, 2);
  assertEquals(added({}, { compressionControl: () => true }, 8), []);
});

Deno.test("deviceExtensions() offers more from release 17", () => {
  const names = (facts: DeviceFacts) => shown([[ANB, 8]], { windowSystem }, facts).slice(1, -1);
  assertEquals(names(NOTHING), [
    "VK_EXT_hdr_metadata",
    "VK_KHR_present_id",
    "VK_KHR_present_id2",
    "VK_KHR_present_wait2",
    "VK_EXT_present_mode_fifo_latest_ready",
  ]);
  const { vkWaitForPresent2KHR: _, ...short } = windowSystem;
  assertEquals(shown([[ANB, 8]], { windowSystem: short }).some((name) => name.includes("2")), false);
  const more = names(EVERYTHING);
  assertEquals(
    ["VK_KHR_swapchain_mutable_format", "VK_KHR_swapchain_maintenance1"].map((name) => more.includes(name)),
    [
      true,
      true,
    ],
  );
});

Deno.test("gateDevice() puts native buffers in the place of VK_KHR_swapchain, if the driver has them", () => {
  assertEquals(gate(["VK_KHR_swapchain"], [ANB]), { names: [ANB], hooks: ["VK_KHR_swapchain"], said: [] });
  assertEquals(gate(["VK_KHR_swapchain"], []), { names: [], hooks: [], said: [] });
  assertEquals(gate(["VK_KHR_swapchain"], ["VK_KHR_swapchain"], {}).names, ["VK_KHR_swapchain"]);
});

Deno.test("gateDevice() keeps loader-only extensions, replaces and adds as AOSP does", () => {
  const fence = "VK_KHR_external_fence_fd", maintenance = "VK_EXT_swapchain_maintenance1";
  const rows: [requested: string, driver: string[], names: string[], hooks: string[]][] = [
    ["VK_KHR_incremental_present", ["VK_KHR_incremental_present"], [], ["VK_KHR_incremental_present"]],
    ["VK_KHR_shared_presentable_image", [], [], ["VK_KHR_shared_presentable_image"]],
    ["VK_GOOGLE_display_timing", [], [], ["VK_GOOGLE_display_timing"]],
    ["VK_KHR_present_id", [], [], ["VK_KHR_present_id"]],
    [maintenance, [fence], [fence], [maintenance]],
    [fence, [fence], [fence], [maintenance]],
    ["VK_KHR_swapchain_maintenance1", [fence], [fence], ["VK_KHR_swapchain_maintenance1"]],
    ["VK_EXT_hdr_metadata", [], [], ["VK_EXT_hdr_metadata"]],
    ["VK_EXT_hdr_metadata", ["VK_EXT_hdr_metadata"], ["VK_EXT_hdr_metadata"], ["VK_EXT_hdr_metadata"]],
    ["VK_KHR_bind_memory2", [], [], ["VK_KHR_bind_memory2"]],
    ["VK_KHR_maintenance1", ["VK_KHR_maintenance1"], ["VK_KHR_maintenance1"], []],
    ["VK_KHR_maintenance1", [], [], []],
  ];
  for (const [requested, driver, names, hooks] of rows) {
    assertEquals(gate([requested, requested], driver), { names, hooks, said: [] }, requested);
  }
});

Deno.test("gateDevice() drops instance extensions and the native buffers, and says so", () => {
  assertEquals(gate(["VK_KHR_surface", ANB], ["VK_KHR_surface", ANB]), {
    names: [],
    hooks: [],
    said: [
      "Ignored VK_KHR_surface: it is an instance extension",
      `Ignored ${ANB}: it is between the loader and the driver`,
    ],
  });
});
