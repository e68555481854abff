import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { loadVulkan, type VulkanOptions } from "../../../loader/mod.ts";
import { lavapipePath, validationManifest } from "../../../tools/setup/parts.ts";
import { needs } from "../../support/require.ts";
import { fakeHost } from "../driver/fake_host.ts";
import { fillAndRead } from "../fill.ts";

const driver = lavapipePath()!;
const REAL = {
  ignore: needs("Mesa lavapipe", driver).ignore || needs("Khronos validation layer", validationManifest()).ignore,
};
const DEVICE_SELECT = "VK_LAYER_MESA_device_select", OVERLAY = "VK_LAYER_MESA_overlay";
const VALIDATION = "VK_LAYER_KHRONOS_validation";

/** The layers an instance of lavapipe gets on this machine in an environment, by their libraries; it is used. */
function used(env: Record<string, string>, names: string[] = [], options: VulkanOptions = {}): string[] {
  using vulkan = loadVulkan({ driver, implicitLayers: true, host: fakeHost({ env }), ...options });
  using instance = vulkan.vkCreateInstance({ ppEnabledLayerNames: names, pApplicationInfo: { apiVersion: 0x403000 } });
  assertEquals(fillAndRead(instance, 0xabcdef), 0xabcdef);
  const layers = vulkan.explain().filter(({ subject, taken, reason }) =>
    subject === "layer" && taken && reason.includes("enabled by")
  );
  return layers.map(({ reason }) => reason.split(",")[0]);
}

Deno.test(
  "Debian's implicit device_select layer counts by itself, unless its variable or the driver option says no",
  REAL,
  () => {
    assertEquals(used({}), [DEVICE_SELECT]);
    assertEquals(used({ NODEVICE_SELECT: "1" }), []);
    assertEquals(used({ VK_LOADER_LAYERS_DISABLE: "~implicit~" }), []);
    assertEquals(used({}, [], { implicitLayers: undefined }), []);
  },
);

Deno.test("device_select, validation and overlay share chains, however they came there", REAL, () => {
  assertEquals(used({}, [VALIDATION]), [DEVICE_SELECT, VALIDATION]);
  assertEquals(used({ VK_INSTANCE_LAYERS: `${VALIDATION}:${DEVICE_SELECT}` }), [VALIDATION, DEVICE_SELECT]);
  assertEquals(used({ VK_INSTANCE_LAYERS: OVERLAY }, [VALIDATION]), [DEVICE_SELECT, OVERLAY, VALIDATION]);
  assertEquals(used({ VK_LOADER_LAYERS_ENABLE: "*MESA_overlay,*validation" }), [DEVICE_SELECT, OVERLAY, VALIDATION]);
});

Deno.test("explain() tells before the first instance which layers each will get", REAL, () => {
  using vulkan = loadVulkan({ driver, implicitLayers: true, host: fakeHost() });
  for (let times = 0; times < 2; times++) {
    const layers = vulkan.explain().filter(({ subject }) => subject === "layer");
    const [found, ...others] = layers.toSorted((one, other) => Number(other.taken) - Number(one.taken));
    assertEquals(others.filter(({ taken }) => taken), [], "implicit layers that wait for their variable count");
    assertStringIncludes(found.reason, `${DEVICE_SELECT}, enabled by: Implicit Layer; opened with each instance`);
  }
});

Deno.test("a driver that was searched for has the machine's implicit layers", REAL, () => {
  const env = { VK_LOADER_DRIVERS_SELECT: "lvp*" };
  assertEquals(used(env, [], { driver: "auto", implicitLayers: undefined }), [DEVICE_SELECT]);
});

Deno.test("validation's own extensions are listed and enabled by its manifest", REAL, () => {
  using vulkan = loadVulkan({ driver, host: fakeHost() });
  const listed = vulkan.vkEnumerateInstanceExtensionProperties(VALIDATION).map((each) => each.extensionName);
  assert(listed.includes("VK_EXT_debug_utils") && listed.includes("VK_EXT_validation_features"));
  const wish = { ppEnabledExtensionNames: ["VK_EXT_validation_features"], ppEnabledLayerNames: [VALIDATION] };
  using instance = vulkan.vkCreateInstance(wish);
  const [gpu] = instance.vkEnumeratePhysicalDevices();
  const device = gpu.vkEnumerateDeviceExtensionProperties(VALIDATION).map((each) => each.extensionName);
  assert(device.includes("VK_EXT_validation_cache"));
  const validation = vulkan.vkEnumerateInstanceLayerProperties().find(({ layerName }) => layerName === VALIDATION)!;
  assertStringIncludes(validation.description, "Validation");
  assert(validation.specVersion > 0x402000);
});
