import { assertEquals } from "@std/assert";
import { fullestInstance } from "../../../loader/api/fullest_instance.ts";
import { loadVulkan } from "../../../loader/mod.ts";
import { versionText } from "../../../loader/vk.ts";
import { vkjson } from "../../../loader/vkjson/vkjson.ts";
import { openGpu } from "../../../mod.ts";
import { lavapipePath, swiftshaderPath } from "../../../tools/setup/parts.ts";
import { needs } from "../../support/require.ts";

const SWIFTSHADER = swiftshaderPath(), LAVAPIPE = lavapipePath();
const NEEDS = needs("SwiftShader and Mesa lavapipe", SWIFTSHADER && LAVAPIPE);
const lists = (): [string[], number][] => [[[SWIFTSHADER!], 1], [[SWIFTSHADER!, LAVAPIPE!], 2]];

Deno.test("an instance of the newest version keeps drivers that refuse a later version than their own", NEEDS, () => {
  for (const [driver, count] of lists()) {
    using vulkan = loadVulkan({ driver });
    const { instance, apiVersion } = fullestInstance(vulkan, {});
    assertEquals([instance.vkEnumeratePhysicalDevices().length, versionText(apiVersion)], [count, "1.3.0"]);
    instance.close();
  }
});

Deno.test("vkjson() and openGpu() see drivers that refuse a later version than their own", NEEDS, () => {
  for (const [driver, count] of lists()) {
    assertEquals(vkjson({ driver }).devices.length, count);
    using gpu = openGpu({ driver, device: count - 1 });
    assertEquals(gpu.instance.vkEnumeratePhysicalDevices().length, count);
  }
});
