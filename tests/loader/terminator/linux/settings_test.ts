import { inFrame } from "../../../../ffi/arena.ts";
import type { VkInstance } from "../../../../loader/gen/types_core_gen.ts";
import { assertEquals, assertStringIncludes, assertThrows } from "@std/assert";
import { loadVulkan, VulkanError } from "../../../../loader/mod.ts";
import type { Vulkan, VulkanOptions } from "../../../../loader/mod.ts";
import { lavapipePath, swiftshaderPath } from "../../../../tools/setup/parts.ts";
import { needs } from "../../../support/require.ts";
import { withFolder } from "../../../support/temporary.ts";
import { fakeHost } from "../../driver/fake_host.ts";
import { findingOf, writeManifest } from "../../driver/machine.ts";
import { NEEDS_TINY, TINY, tinyVariant } from "../../tiny.ts";
import { deviceNames, groupNames } from "./drivers.ts";

const lavapipe = lavapipePath(), swiftshader = swiftshaderPath();
const BOTH = { ignore: needs("Mesa lavapipe", lavapipe).ignore || needs("SwiftShader", swiftshader).ignore };
const ID = 1000071004, ONE_ONE = { pApplicationInfo: { apiVersion: 0x401000 } };

/** Loads "auto" where these drivers have manifests and this is the settings file. */
function withSettings(
  drivers: readonly string[],
  settings: object | ((folder: string) => object),
  use: (vulkan: Vulkan) => void,
  env: Record<string, string> = {},
  options: VulkanOptions = {},
): void {
  withFolder((folder) => {
    drivers.forEach((path, index) => writeManifest(`${folder}/vulkan/icd.d/${index}.json`, path));
    Deno.mkdirSync(`${folder}/vulkan/loader_settings.d`, { recursive: true });
    const content = {
      file_format_version: "1.0.0",
      settings: typeof settings === "function" ? settings(folder) : settings,
    };
    Deno.writeTextFileSync(`${folder}/vulkan/loader_settings.d/vk_loader_settings.json`, JSON.stringify(content));
    const host = fakeHost({ env: { XDG_DATA_HOME: folder, XDG_DATA_DIRS: folder, XDG_CONFIG_DIRS: folder, ...env } });
    using vulkan = loadVulkan({ platform: "linux", host, implicitLayers: false, ...options } as VulkanOptions);
    use(vulkan);
  });
}

/** The configurations in a settings file of each device of these drivers, by name. */
function configurations(): Map<string, object> {
  const found = new Map<string, object>();
  using vulkan = loadVulkan({ driver: [lavapipe!, swiftshader!] });
  using instance = vulkan.vkCreateInstance(ONE_ONE);
  for (const gpu of instance.vkEnumeratePhysicalDevices()) {
    const { properties, pNext: [{ deviceUUID, driverUUID }] } = gpu.vkGetPhysicalDeviceProperties2([ID]);
    found.set(properties.deviceName, {
      deviceUUID: [...deviceUUID],
      driverUUID: [...driverUUID],
      driverVersion: properties.driverVersion,
    });
  }
  return found;
}

Deno.test(
  "acceptance 91: a list of devices says which there are, in which order, also to a 1.0 application",
  BOTH,
  () => {
    const all = configurations(), names = [...all.keys()];
    for (const wanted of [names, names.toReversed(), names.slice(0, 1), names.slice(1)]) {
      const device_configurations = wanted.map((name) => all.get(name));
      withSettings([lavapipe!, swiftshader!], { device_configurations }, (vulkan) => {
        using plain = vulkan.vkCreateInstance({});
        using newer = vulkan.vkCreateInstance(ONE_ONE);
        assertEquals([deviceNames(plain), deviceNames(newer)], [wanted, wanted]);
        assertEquals(groupNames(newer), wanted.map((name) => [name]));
      });
    }
  },
);

/** The result of vkEnumeratePhysicalDeviceGroups without an array, and the count. */
function countGroups({ raw, handle }: VkInstance): number[] {
  return inFrame((memory) => {
    const count = memory.alloc(4);
    return [
      raw.vkEnumeratePhysicalDeviceGroups(handle, memory.address(count), 0n),
      memory.view.getUint32(count, true),
    ];
  });
}

Deno.test("acceptance 91: a list that no device is of leaves none, and a malformed entry does not count", BOTH, () => {
  const [[name, good]] = [...configurations()], other = { ...good, driverVersion: 1 };
  const said: string[] = [], log = (sentence: string) => void said.push(sentence);
  withSettings(
    [lavapipe!, swiftshader!],
    { device_configurations: [other] },
    (vulkan) => {
      using instance = vulkan.vkCreateInstance({});
      assertEquals(assertThrows(() => instance.vkEnumeratePhysicalDevices(), VulkanError).code, -3);
      assertStringIncludes(said.join("\n"), "None of the settings file device configurations had deviceUUID's");
      const counted = countGroups(instance);
      assertEquals(counted, [0, 2], "a count of groups succeeds, as with the Khronos loader");
    },
    {},
    { log },
  );
  withSettings([lavapipe!, swiftshader!], { device_configurations: [{ deviceUUID: 5 }, good] }, (vulkan) => {
    using instance = vulkan.vkCreateInstance({});
    assertEquals(deviceNames(instance), [name]);
    assertStringIncludes(findingOf(vulkan.explain(), "setting")!.reason, "skipped");
  });
});

Deno.test("acceptance 91: with a list of devices no variable chooses drivers, and that is said", BOTH, () => {
  const device_configurations = [...configurations().values()];
  withSettings([lavapipe!, swiftshader!], { device_configurations }, (vulkan) => {
    using instance = vulkan.vkCreateInstance({});
    assertEquals(deviceNames(instance).length, 2);
    const { taken, reason } = findingOf(vulkan.explain(), "variable", "VK_DRIVER_FILES")!;
    assertEquals([taken, reason], [false, "ignored, because the settings file lists devices"]);
  }, { VK_DRIVER_FILES: "/nowhere.json" });
});

Deno.test("VK_LOADER_DRIVERS_SELECT counts for the drivers that the settings file names, too", NEEDS_TINY, () => {
  const types = (exclusively: boolean, select: string) => {
    const found: number[] = [], discrete = tinyVariant("type_2", "-DGPU_TYPE=2")!;
    const settings = (folder: string) => ({
      additional_drivers: ["x", "y"].map((name, index) => ({
        path: writeManifest(`${folder}/added/${name}.json`, index === 0 ? discrete : TINY!),
      })),
      additional_drivers_use_exclusively: exclusively,
    });
    withSettings([], settings, (vulkan) => {
      using instance = vulkan.vkCreateInstance({});
      const gpus = instance.vkEnumeratePhysicalDevices();
      found.push(...gpus.map((gpu) => gpu.vkGetPhysicalDeviceProperties().deviceType));
    }, { VK_LOADER_DRIVERS_SELECT: select });
    return found;
  };
  for (const exclusively of [false, true]) {
    assertEquals([types(exclusively, "x*"), types(exclusively, "y*")], [[2], [4]]);
  }
});

Deno.test("acceptance 92: the settings file adds drivers, or names the only ones", NEEDS_TINY, () => {
  const discrete = tinyVariant("type_2", "-DGPU_TYPE=2")!;
  for (const [exclusively, count] of [[false, 2], [true, 1]] as const) {
    const settings = (folder: string) => ({
      additional_drivers: [{ path: writeManifest(`${folder}/added/x.json`, discrete) }],
      additional_drivers_use_exclusively: exclusively,
    });
    withSettings([TINY!], settings, (vulkan) => {
      using instance = vulkan.vkCreateInstance({});
      const types = instance.vkEnumeratePhysicalDevices().map((gpu) => gpu.vkGetPhysicalDeviceProperties().deviceType);
      assertEquals([types.length, types[0]], [count, 2]);
    });
  }
});
