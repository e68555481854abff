import { assertEquals, assertStringIncludes, assertThrows } from "@std/assert";
import { Library } from "../../../../ffi/library/library.ts";
import { invokeAddress } from "../../../../ffi/machine.ts";
import { openDirectDriver, openDriver } from "../../../../loader/driver/interface/driver.ts";
import { DriverError, loadVulkan } from "../../../../loader/mod.ts";
import { openFiles } from "../../../support/open_files.ts";
import { withFolder } from "../../../support/temporary.ts";
import { NEEDS_TINY, TINY, tinyCount } from "../../tiny.ts";
import { findingOf, interfaceDriver, loadManifest, loadWith, writeManifest } from "../machine.ts";

const VERSIONS = [0, 1, 2, 3, 4, 5, 6, 7];

Deno.test("acceptance 35: a driver of every interface version, 0 to 7, loads and makes instances", NEEDS_TINY, () => {
  for (const version of VERSIONS) {
    const path = interfaceDriver(`v${version}`, `-DINTERFACE=${version}`)!;
    using driver = openDriver(path);
    assertEquals([driver.interfaceVersion, driver.kind], [version, "icd"]);
    using vulkan = loadVulkan({ driver: path });
    using instance = vulkan.vkCreateInstance({});
    assertEquals(instance.vkEnumeratePhysicalDevices()[0].vkGetPhysicalDeviceProperties().deviceName, "Tiny driver");
  }
});

Deno.test("acceptance 36: the loader asks for version 7 and takes what the driver makes of it", NEEDS_TINY, () => {
  for (const version of VERSIONS.slice(2)) {
    const path = interfaceDriver(`v${version}`, `-DINTERFACE=${version}`)!;
    using driver = openDriver(path);
    assertEquals([tinyCount("asked", path), driver.interfaceVersion], [7, version]);
  }
});

Deno.test("openDriver() takes vk_icdGetPhysicalDeviceProcAddr from version 4 on", NEEDS_TINY, () => {
  const found = VERSIONS.map((version) => {
    using driver = openDriver(interfaceDriver(`v${version}`, `-DINTERFACE=${version}`)!);
    return driver.getPhysicalDeviceProcAddr !== 0n;
  });
  assertEquals(found, [false, false, false, false, true, true, true, true]);
});

Deno.test("acceptance 37: a version 7 driver needs no export but vk_icdGetInstanceProcAddr", NEEDS_TINY, () => {
  const path = interfaceDriver("bare", "-DINTERFACE=7", "-DNO_EXPORTS")!;
  using driver = openDriver(path);
  assertEquals([driver.interfaceVersion, driver.getPhysicalDeviceProcAddr !== 0n], [7, true]);
  using vulkan = loadVulkan({ driver: path });
  using instance = vulkan.vkCreateInstance({});
  assertEquals(instance.vkEnumeratePhysicalDevices().length, 1);
});

Deno.test("openDriver() refuses a driver that negotiates and cannot be asked for anything", NEEDS_TINY, () => {
  const path = interfaceDriver("mute", "-DINTERFACE=5", "-DNEGOTIATE_ONLY")!;
  assertThrows(() => openDriver(path), DriverError, "exports no vk_icdGetInstanceProcAddr");
});

Deno.test("openDriver() refuses a version 0 driver that does not export its global commands", NEEDS_TINY, () => {
  const path = interfaceDriver("v0_mute", "-DINTERFACE=0", "-DNO_EXPORTS")!;
  assertThrows(() => openDriver(path), DriverError, "exports no vkEnumerateInstanceExtensionProperties");
});

Deno.test("openDriver() refuses a driver without vkCreateInstance", NEEDS_TINY, () => {
  const before = openFiles();
  for (const name of ["vkCreateInstance", "vkEnumerateInstanceExtensionProperties"]) {
    const path = interfaceDriver(`no_${name}`, `-DLACKS="${name}"`)!;
    assertThrows(() => openDriver(path), DriverError, `has no ${name}`);
  }
  assertEquals(openFiles(), before);
});

const REQUIRED = [
  "vkEnumeratePhysicalDevices",
  "vkGetPhysicalDeviceFormatProperties",
  "vkGetPhysicalDeviceSparseImageFormatProperties",
  "vkGetDeviceProcAddr",
  "vkCreateDevice",
];

Deno.test(
  "acceptance 74: a driver that lacks a required command is dropped, alone and beside a good one",
  NEEDS_TINY,
  () => {
    for (const name of REQUIRED) {
      const lacking = interfaceDriver(`no_${name}`, `-DLACKS="${name}"`)!;
      const alone = loadManifest(lacking);
      assertEquals([alone.driver, findingOf(alone.findings, "driver")?.reason], ["", `it has no ${name}`]);
      withFolder((folder) => {
        const files = [writeManifest(`${folder}/a.json`, lacking), writeManifest(`${folder}/b.json`, TINY!)];
        assertEquals(loadWith({ env: { VK_DRIVER_FILES: files.join(":") } }).driver, TINY);
      });
    }
  },
);

Deno.test(
  "acceptance 43: a driver without vkEnumerateInstanceVersion is of 1.0, whatever its manifest says",
  NEEDS_TINY,
  () => {
    const path = interfaceDriver("no_version", '-DLACKS="vkEnumerateInstanceVersion"')!;
    const said = (library: string, api_version: string) =>
      findingOf(loadManifest(library, { api_version }).findings, "driver")!.reason;
    assertStringIncludes(said(path, "1.1.0"), "Vulkan 1.0.0");
    assertStringIncludes(said(TINY!, "1.0.5"), "Vulkan 1.0.0");
    assertStringIncludes(said(TINY!, "1.1.0"), "Vulkan 1.3.0");
  },
);

Deno.test("acceptance 38: a driver given by its address is used alone", NEEDS_TINY, () => {
  using library = Library.open(interfaceDriver("bare", "-DINTERFACE=7", "-DNO_EXPORTS")!);
  const getInstanceProcAddr = library.require("vk_icdGetInstanceProcAddr");
  using vulkan = loadVulkan({ driver: { name: "direct", getInstanceProcAddr } });
  assertEquals([vulkan.driver, vulkan.explain()[0].reason], ["direct", "handed over by the caller"]);
  using instance = vulkan.vkCreateInstance({});
  assertEquals(instance.vkEnumeratePhysicalDevices().length, 1);
});

Deno.test("acceptance 39: a driver given by its address shuts out VK_DRIVER_FILES", NEEDS_TINY, () => {
  using library = Library.open(interfaceDriver("bare", "-DINTERFACE=7", "-DNO_EXPORTS")!);
  const getInstanceProcAddr = library.require("vk_icdGetInstanceProcAddr");
  withFolder((folder) => {
    const env = { VK_DRIVER_FILES: writeManifest(`${folder}/a.json`, TINY!) };
    const { driver, findings } = loadWith({ env }, undefined, { driver: { name: "direct", getInstanceProcAddr } });
    assertEquals([driver, findings.length], ["direct", 1]);
  });
});

Deno.test("acceptance 40: a driver given by NULL, or that does not negotiate version 7, is refused", NEEDS_TINY, () => {
  assertThrows(() => openDirectDriver({ name: "none", getInstanceProcAddr: 0n }), DriverError, "is NULL");
  using library = Library.open(interfaceDriver("v6", "-DINTERFACE=6")!);
  const getInstanceProcAddr = library.require("vk_icdGetInstanceProcAddr");
  assertEquals(invokeAddress(library.require("tiny_asked"), "w:", []), 0);
  assertThrows(() => openDirectDriver({ name: "six", getInstanceProcAddr }), DriverError, "must negotiate version 7");
});
