import { assert, assertEquals } from "@std/assert";
import { enabledExtensions } from "../../../../loader/driver/structs/create_info.ts";
import { writeExtensionList } from "../../../../loader/driver/interface/extension_list.ts";
import type { DriverSpec } from "../../../../loader/drivers.ts";
import type { Vulkan } from "../../../../loader/mod.ts";
import { VK_HEADER_VERSION_COMPLETE } from "../../../../loader/vk.ts";
import { cards, withDrivers } from "./drivers.ts";

const UNKNOWN = "VK_TEST_nobody_knows_this", SURFACE = "VK_KHR_surface", DISPLAY = "VK_KHR_display";
/** The extensions that the loader lists by itself. */
const OWN = [
  "VK_EXT_debug_report",
  "VK_EXT_debug_utils",
  "VK_KHR_portability_enumeration",
  "VK_LUNARG_direct_driver_loading",
];

function names(vulkan: Vulkan): string[] {
  return vulkan.vkEnumerateInstanceExtensionProperties(null).map(({ extensionName }) => extensionName).sort();
}

Deno.test("acceptance 13: vkEnumerateInstanceVersion is the loader's own, whatever the drivers'", () => {
  for (const apiVersion of [null, 0x401000, 0x403000]) {
    withDrivers([{ name: "one", apiVersion }], ({ vulkan }) => {
      assertEquals(vulkan.vkEnumerateInstanceVersion(), VK_HEADER_VERSION_COMPLETE);
    });
  }
});

Deno.test("acceptance 15: extensions of drivers that the loader does not know are left out; the environment lists them", () => {
  const spec: DriverSpec = {
    ...cards("one", "A"),
    instanceExtensions: [{ extensionName: UNKNOWN, specVersion: 3 }, { extensionName: SURFACE, specVersion: 25 }],
  };
  withDrivers([spec], ({ vulkan }) => assertEquals(names(vulkan), [...OWN, SURFACE].sort()));
  for (const value of ["1", "7"]) {
    const env = { VK_LOADER_DISABLE_INST_EXT_FILTER: value };
    withDrivers([spec], ({ vulkan }) => assertEquals(names(vulkan), [...OWN, SURFACE, UNKNOWN].sort()), env);
  }
  const env = { VK_LOADER_DISABLE_INST_EXT_FILTER: "0" };
  withDrivers([spec], ({ vulkan }) => assert(!names(vulkan).includes(UNKNOWN)), env);
});

Deno.test("instance extensions are those of all drivers, and each driver gets those it lists", () => {
  const seen = new Map<string, string[]>();
  const spec = (name: string, ...instanceExtensions: string[]): DriverSpec => ({
    ...cards(name, name),
    instanceExtensions,
    commands: {
      vkCreateInstance(next, info, allocator, out) {
        seen.set(name, enabledExtensions(info)!);
        return next(info, allocator, out);
      },
    },
  });
  withDrivers([spec("one", SURFACE), spec("two", SURFACE, DISPLAY)], ({ vulkan }) => {
    assertEquals(names(vulkan), [...OWN, SURFACE, DISPLAY].sort());
    vulkan.vkCreateInstance({ ppEnabledExtensionNames: [SURFACE, DISPLAY, OWN[1]] }).close();
  });
  assertEquals(Object.fromEntries(seen), { one: [SURFACE], two: [SURFACE, DISPLAY] });
});

Deno.test("commands of instance extensions are there only when the extension is enabled", () => {
  const spec: DriverSpec = { ...cards("one", "A"), instanceExtensions: [SURFACE, "VK_EXT_headless_surface"] };
  withDrivers([spec], ({ vulkan }) => {
    using plain = vulkan.vkCreateInstance({});
    using enabled = vulkan.vkCreateInstance({ ppEnabledExtensionNames: [SURFACE, "VK_EXT_headless_surface"] });
    const has = (instance: typeof plain) => {
      try {
        instance.vkDestroySurfaceKHR(instance.vkCreateHeadlessSurfaceEXT({}));
        return true;
      } catch (error) {
        assert(error instanceof TypeError);
        return false;
      }
    };
    assertEquals([has(plain), has(enabled)], [false, true]);
  });
});

Deno.test("an extension that a driver lists later can be enabled then, with one driver and with several", () => {
  const LATE = "VK_KHR_display", EARLY = "VK_KHR_surface";
  const list = (names: () => string[]): DriverSpec["commands"] => ({
    vkEnumerateInstanceExtensionProperties: (_next, _layer, count, out) =>
      writeExtensionList(names().map((extensionName) => ({ extensionName, specVersion: 1 })), count, out),
  });
  for (const others of [[], [cards("other", "B")]]) {
    let names = [EARLY];
    const late = { ...cards("late", "A"), instanceExtensions: [EARLY, LATE], commands: list(() => names) };
    withDrivers([late, ...others], ({ vulkan }) => {
      const listed = () => vulkan.vkEnumerateInstanceExtensionProperties().map((each) => each.extensionName);
      assertEquals(listed().includes(LATE), false);
      names = [EARLY, LATE];
      assertEquals(listed().includes(LATE), true);
      vulkan.vkCreateInstance({ ppEnabledExtensionNames: [EARLY, LATE] }).close();
    });
  }
});
