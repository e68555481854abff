import { assert, assertEquals } from "@std/assert";
import { peek32, peek64, poke32 } from "../../../ffi/machine.ts";
import { layoutOf } from "../../../loader/codec/layout/layout.ts";
import { defineDriver } from "../../../loader/drivers.ts";
import { loadVulkan } from "../../../loader/mod.ts";
import type { DriverSpec } from "../../../loader/scripted/spec.ts";
import type { JsonObject } from "../../../loader/vkjson/json_value.ts";
import { vkjson, type VkjsonInstance, type VkjsonOptions } from "../../../loader/vkjson/vkjson.ts";
import * as vk from "../../../loader/vk.ts";
import { onPath } from "../../../tools/setup/files.ts";
import { lavapipePath, swiftshaderPath } from "../../../tools/setup/parts.ts";
import { needs } from "../../support/require.ts";
import { tinyVariant } from "../tiny.ts";
import { Comparison, vulkaninfo } from "./vulkaninfo.ts";

const [V10, V11, V12, V13, V14] = [0, 1, 2, 3, 4].map((minor) => vk.VK_MAKE_API_VERSION(0, 1, minor, 7));

/** vkjson over a driver written here. */
function scripted(spec: Omit<DriverSpec, "name">, options: VkjsonOptions = {}): VkjsonInstance {
  using driver = defineDriver({ name: "scripted", ...spec });
  return vkjson({ driver }, options);
}

/** One device of a version, the driver and the instance alike. */
function deviceOf(apiVersion: number, options?: VkjsonOptions): JsonObject {
  return scripted({ apiVersion, physicalDevices: [{ properties: { apiVersion } }] }, options).devices[0];
}

for (const [name, path] of [["Mesa lavapipe", lavapipePath()], ["SwiftShader and ANGLE", swiftshaderPath()]] as const) {
  const part = `${name}, vulkaninfo`;
  Deno.test(`vkjson() says of ${name} what vulkaninfo says`, needs(part, path && onPath("vulkaninfo")), () => {
    const { devices: [device] } = vkjson({ driver: path! }),
      { shared, wrong, missing } = new Comparison(
        device,
        vulkaninfo(path!),
      );
    assertEquals([wrong, missing], [[], []]);
    assert(shared > 1000, `only ${shared} values were compared`);
  });
}

Deno.test("vkjson() has the blocks of a device's version, and no later ones", () => {
  const cores = (device: JsonObject) => Object.keys(device).filter((key) => key.startsWith("core"));
  assertEquals([V10, V11, V12, V13, V14].map((version) => cores(deviceOf(version))), [
    [],
    [],
    ["core11", "core12"],
    ["core11", "core12", "core13"],
    ["core11", "core12", "core13", "core14"],
  ]);
  assertEquals(deviceOf(V10).subgroupProperties, undefined);
  assertEquals(deviceOf(V11).multiviewFeatures, {
    multiview: 0,
    multiviewGeometryShader: 0,
    multiviewTessellationShader: 0,
  });
});

Deno.test("vkjson() writes what each release of Android writes", () => {
  const extensions = [
    "VK_KHR_driver_properties",
    "VK_KHR_variable_pointers",
    "VK_EXT_robustness2",
    "VK_KHR_8bit_storage",
  ];
  const device = { properties: { apiVersion: V14 }, extensions };
  const [all, old, newer, newest] = ([undefined, 14, 16, 17] as const).map((release) =>
    scripted({ apiVersion: V14, physicalDevices: [device] }, { release }).devices[0]
  );
  const blocks = (json: JsonObject) =>
    Object.keys(json).filter((key) => /^(core|VK_|.*16bit|.*bit16|variable)/.test(key));
  const oldNames = ["16bitStorageFeatures", "variablePointerFeatures"];
  const newNames = ["bit16StorageFeatures", "variablePointersFeatures"],
    cores = ["core11", "core12", "core13", "core14"];
  const [driver, pointers, robustness, bytes] = extensions;
  assertEquals(blocks(all), [...cores, ...oldNames, driver, pointers, robustness, bytes]);
  assertEquals(blocks(old), ["core12", "core13", ...oldNames, driver, pointers]);
  assertEquals(blocks(newer), [...cores, ...newNames, driver, pointers, bytes]);
  assertEquals(blocks(newest), [...cores, ...newNames, driver, pointers, robustness, bytes]);
  const inner = (json: JsonObject) => Object.keys(json[pointers] as JsonObject);
  assertEquals(inner(old), ["variablePointerFeaturesKHR"]);
  assertEquals(inner(newest), ["variablePointerFeaturesKHR", "variablePointersFeaturesKHR"]);
  assertEquals(Object.keys(all[bytes] as JsonObject), ["bit8StorageFeaturesKHR"]);
});

Deno.test("vkjson() writes a driver's values in vkjson's forms", () => {
  const { devices: [device] } = scripted({
    physicalDevices: [{
      properties: { deviceName: "Card", pipelineCacheUUID: Uint8Array.from({ length: 16 }, (_, byte) => byte) },
      features: { geometryShader: true },
      memoryProperties: {
        memoryTypeCount: 1,
        memoryTypes: [{ propertyFlags: 1, heapIndex: 0 }],
        memoryHeapCount: 1,
        memoryHeaps: [{ size: 1n << 40n, flags: 1 }],
      },
      extensions: [{ extensionName: "VK_KHR_driver_properties", specVersion: 3 }],
      chain: [{
        sType: vk.VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_DRIVER_PROPERTIES,
        driverID: 10,
        driverName: "mine",
        conformanceVersion: { major: 1, minor: 3, subminor: 2, patch: 1 },
      }],
    }],
  });
  assertEquals((device.properties as JsonObject).pipelineCacheUUID, Array.from({ length: 16 }, (_, byte) => byte));
  assertEquals((device.features as JsonObject).geometryShader, 1);
  assertEquals(device.memory, {
    memoryTypeCount: 1,
    memoryTypes: [{ propertyFlags: 1, heapIndex: 0 }],
    memoryHeapCount: 1,
    memoryHeaps: [{ size: "0x0000010000000000", flags: 1 }],
  });
  assertEquals(device.extensions, [{ extensionName: "VK_KHR_driver_properties", specVersion: 3 }]);
  assertEquals((device.VK_KHR_driver_properties as JsonObject).driverPropertiesKHR, {
    driverID: 10,
    driverName: "mine",
    driverInfo: "",
    conformanceVersion: { major: 1, minor: 3, subminor: 2, patch: 1 },
  });
});

Deno.test("vkjson() asks again for lists whose lengths a driver says first", () => {
  const at = (member: string) =>
    BigInt(layoutOf("VkPhysicalDeviceVulkan14Properties").fields.find(({ name }) => name === member)!.offset);
  const { devices: [device] } = scripted({
    apiVersion: V14,
    physicalDevices: [{ properties: { apiVersion: V14 } }],
    commands: {
      vkGetPhysicalDeviceProperties2(next, gpu, out) {
        next(gpu, out);
        const struct = peek64(out + 8n);
        if (struct === 0n || peek32(struct) !== vk.VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_4_PROPERTIES) return;
        const list = peek64(struct + at("pCopySrcLayouts"));
        poke32(struct + at("copySrcLayoutCount"), 2);
        if (list !== 0n) [1, 6].forEach((layout, index) => poke32(list + BigInt(4 * index), layout));
      },
    },
  });
  const { properties } = device.core14 as { properties: JsonObject };
  assertEquals([properties.copySrcLayoutCount, properties.pCopySrcLayouts], [2, [1, 6]]);
});

/** A device of a version that can use three formats and sync files as fences. */
function withFormats(apiVersion: number, options?: VkjsonOptions): JsonObject {
  const { devices: [device] } = scripted({
    apiVersion,
    physicalDevices: [{ properties: { apiVersion } }],
    commands: {
      vkGetPhysicalDeviceFormatProperties(next, gpu, format, out) {
        next(gpu, format, out);
        const known = format === 37 || format === 1000156000 || format === 1000340000;
        poke32(out + 4n, known ? 1 : 0); // optimalTilingFeatures
      },
      vkGetPhysicalDeviceExternalFenceProperties(_next, _gpu, info, out) {
        const handleType = peek32(info + 16n);
        poke32(out + 24n, handleType === 8 ? 3 : 0); // externalFenceFeatures
      },
    },
  }, options);
  return device;
}

Deno.test("vkjson() has formats and kinds of handles as pairs, without those that can do nothing", () => {
  const device = withFormats(V11), found = { linearTilingFeatures: 0, optimalTilingFeatures: 1, bufferFeatures: 0 };
  assertEquals(device.formats, [[37, found], [1000156000, found]]);
  const fence = { exportFromImportedHandleTypes: 0, compatibleHandleTypes: 0, externalFenceFeatures: 3 };
  assertEquals(device.externalFenceProperties, [[8, fence]]);
  assertEquals(device.externalSemaphoreProperties, []);
});

Deno.test("vkjson() asks for the formats that a device's version has", () => {
  const formats = (...args: Parameters<typeof withFormats>) =>
    (withFormats(...args).formats as [number, JsonObject][]).map(([format]) => format);
  assertEquals([formats(V10), formats(V13)], [[37], [37, 1000156000, 1000340000]]);
  assertEquals(formats(V13, { quirks: "aosp" }), [37, 1000156000]);
});

Deno.test("vkjson() lists several devices, and which of them are groups", () => {
  const physicalDevices = ["a", "a", "b"].map((group, index) => ({
    properties: { deviceName: `Card ${index}` },
    group,
  }));
  const { deviceGroups, devices, apiVersion } = scripted({ physicalDevices });
  assertEquals(devices.map(({ properties }) => (properties as JsonObject).deviceName), ["Card 0", "Card 1", "Card 2"]);
  assertEquals(deviceGroups!.map(({ devices }) => devices), [[0, 1], [2]]);
  assert(apiVersion! >= V12);
  const slipped = scripted({ physicalDevices }, { quirks: "aosp" });
  assertEquals(slipped.deviceGroups!.map(({ devices }) => devices), [[0, 1], [0, 1, 2]]);
});

Deno.test("vkjson() with AOSP's quirks says nothing of a device of 1.4, until Android 16", () => {
  assertEquals(deviceOf(V14, { quirks: "aosp" }), {});
  assertEquals(deviceOf(V14, { quirks: "aosp", release: 15 }), {});
  assert("core14" in deviceOf(V14, { quirks: "aosp", release: 16 }));
  assert("core13" in deviceOf(V13, { quirks: "aosp", release: 15 }));
});

Deno.test("vkjson() takes a loader that is open, and leaves it so", () => {
  using driver = defineDriver({ name: "mine" });
  using vulkan = loadVulkan({ driver });
  assertEquals(vkjson(vulkan).devices.length, 1);
  assertEquals([driver.live("VkInstance"), vkjson(vulkan).devices.length], [0, 1]);
});

Deno.test(
  "vkjson() leaves out what a driver that is not finished cannot tell",
  needs("C compiler (cc)", tinyVariant("plain")),
  () => {
    const { devices: [device] } = vkjson({ driver: tinyVariant("plain")! });
    assertEquals((device.properties as JsonObject).deviceName, "Tiny driver");
    assertEquals([device.formats, device.core13, Object.keys(device).includes("memory")], [[], undefined, true]);
  },
);
