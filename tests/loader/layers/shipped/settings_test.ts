import { assert, assertEquals, assertThrows } from "@std/assert";
import { PRESETS } from "../../../../cli/layers/presets.ts";
import { DECLARED, prefixOf, variableOf } from "../../../../loader/layers/shipped/settings/declared.ts";
import { processSettings, readSettings } from "../../../../loader/layers/shipped/settings/read_settings.ts";
import { defineDriver } from "../../../../loader/drivers.ts";
import { loadVulkan } from "../../../../loader/mod.ts";
import * as vk from "../../../../loader/vk.ts";
import * as layers from "../../../../workbench/layers.ts";
import { withFolder } from "../../../support/temporary.ts";

const { twin, limits, trace } = DECLARED;

Deno.test("readSettings() takes the environment before the file, and the file before the program", () => {
  const file =
    "# a comment\npumice_device_twin.strictness = used # here\npumice_device_twin.variants = one, two\nkhronos_validation.x = 1\n";
  const sources = (variables: Record<string, string>) => ({
    variable: (name: string) => variables[name],
    file: () => file,
  });
  const program = new Map([["strictness", ["exact"]], ["profile", ["VP_X"]], ["device", [2]]]);
  assertEquals(readSettings(twin, sources({}), program), {
    strictness: "used",
    variants: ["one", "two"],
    profile: "VP_X",
    device: 2,
  });
  const variables = { VK_PUMICE_DEVICE_TWIN_STRICTNESS: "common", VK_PUMICE_DEVICE_TWIN_DEVICE: "1" };
  assertEquals(readSettings(twin, sources(variables)), { strictness: "common", device: 1, variants: ["one", "two"] });
});

Deno.test("readSettings() refuses what a layer does not have, and values of another kind", () => {
  const none = { variable: () => undefined, file: () => "pumice_device_twin.strictnes = used" };
  assertThrows(() => readSettings(twin, none), TypeError, "is it strictness?");
  const text = { variable: () => undefined, file: () => "pumice_api_trace.frames = 1, many" };
  assertThrows(() => readSettings(trace, text), TypeError, 'found "many"; give a number');
});

Deno.test("processSettings() reads the file that VK_LAYER_SETTINGS_PATH names, or the one in its folder", () => {
  withFolder((folder) => {
    const path = `${folder}/vk_layer_settings.txt`, before = Deno.env.get("VK_LAYER_SETTINGS_PATH");
    Deno.writeTextFileSync(path, "pumice_device_limits.hide_features = geometryShader\n");
    try {
      for (const each of [folder, path]) {
        Deno.env.set("VK_LAYER_SETTINGS_PATH", each);
        assertEquals(readSettings(limits, processSettings()), { hideFeatures: ["geometryShader"] });
      }
    } finally {
      if (before === undefined) Deno.env.delete("VK_LAYER_SETTINGS_PATH");
      else Deno.env.set("VK_LAYER_SETTINGS_PATH", before);
    }
  });
});

Deno.test("every layer of --layer declares its settings under the name that the layer has", () => {
  assertEquals(Object.keys(DECLARED).sort(), Object.keys(PRESETS).sort());
  const made = [
    layers.apiProfile(),
    layers.deviceLimits({}),
    layers.deviceTwin("VP_ANDROID_15_minimums"),
    layers.faultInjection({ rules: [] }),
    layers.objectLeaks(),
  ];
  const names = made.map(({ layer }) => layer.name);
  for (const name of names) assert(Object.values(DECLARED).some(({ layer }) => layer === name), name);
  assertEquals([prefixOf(twin), variableOf(twin, "source")], ["pumice_device_twin", "VK_PUMICE_DEVICE_TWIN_SOURCE"]);
});

/** An instance whose program sets something of a layer. */
function withSettings(
  layer: ReturnType<typeof layers.deviceLimits>["layer"],
  name: string,
  setting: string,
  text: string,
  use: (features: boolean, extensions: number) => void,
): void {
  using driver = defineDriver({
    name: "any",
    physicalDevices: [{ features: { geometryShader: true }, extensions: ["VK_KHR_swapchain"] }],
  });
  using vulkan = loadVulkan({ driver, layers: [layer] });
  const value = new TextEncoder().encode(`${text}\0`), pointer = Deno.UnsafePointer.value(Deno.UnsafePointer.of(value));
  const pValues = new Uint8Array(BigUint64Array.of(BigInt(pointer)).buffer);
  const settings = [{
    pLayerName: name,
    pSettingName: setting,
    type: vk.VK_LAYER_SETTING_TYPE_STRING_EXT,
    valueCount: 1,
    pValues,
  }];
  using instance = vulkan.vkCreateInstance({
    pApplicationInfo: { apiVersion: vk.VK_API_VERSION_1_1 },
    pNext: [{ sType: vk.VK_STRUCTURE_TYPE_LAYER_SETTINGS_CREATE_INFO_EXT, pSettings: settings }],
  } as never);
  const [gpu] = instance.vkEnumeratePhysicalDevices();
  use(gpu.vkGetPhysicalDeviceFeatures().geometryShader as boolean, gpu.vkEnumerateDeviceExtensionProperties().length);
}

Deno.test("a program sets limits and a twin's strictness by VK_EXT_layer_settings", () => {
  withSettings(
    layers.deviceLimits({}).layer,
    limits.layer,
    "hide_features",
    "geometryShader",
    (geometry) => assertEquals(geometry, false),
  );
  withSettings(
    layers.deviceLimits({}).layer,
    "VK_LAYER_OTHER",
    "hide_features",
    "geometryShader",
    (geometry) => assertEquals(geometry, true),
  );
  const source = () => layers.deviceTwin("VP_ANDROID_15_minimums", { log: () => {} }).layer;
  withSettings(source(), twin.layer, "strictness", "used", (_, extensions) => assert(extensions > 5));
  withSettings(source(), twin.layer, "strictness", "common", (_, extensions) => assertEquals(extensions, 1));
  assertThrows(
    () => withSettings(source(), twin.layer, "strictness", "lax", () => {}),
    Error,
    "give exact, used, common",
  );
});
