/**
 * Android's own tests of this, from CtsGpuToolsHostTestCases, under their names:
 * null layers A to E (D and E bring VK_EXT_debug_utils in versions 1 and 2), an
 * application that may be debugged, one that may not and has layer C in its
 * package, one that lets layers in, and a package with all of the layers.
 *
 * @module
 */
import { assert, assertEquals } from "@std/assert";
import type { AndroidApp, VulkanOptions } from "../../../../loader/mod.ts";
import { lavapipePath } from "../../../../tools/setup/parts.ts";
import { needs } from "../../../support/require.ts";
import { asking, layerName, NEEDS_LAYER, type Phone, resultOf, withPhone } from "./phone.ts";

const CTS = { ignore: NEEDS_LAYER.ignore || needs("Mesa lavapipe", lavapipePath()).ignore };
const A = "nullLayerA", B = "nullLayerB", C = "nullLayerC", D = "nullLayerD", E = "nullLayerE";
const LAYERS_APP = "android.rootlessgpudebug.LAYERS.app", LAYERS_LIB = "/data/app/LAYERS/lib";
const UTILS = "VK_EXT_debug_utils";

/** One of the test's applications. */
function application(kind: "DEBUG" | "RELEASE" | "INJECT"): AndroidApp {
  return {
    packageName: `android.rootlessgpudebug.${kind}.app`,
    nativeLibraryDir: `/data/app/${kind}/lib`,
    debuggable: kind === "DEBUG",
    injectLayers: kind === "INJECT",
    layerPackages: { [LAYERS_APP]: LAYERS_LIB },
  };
}

const DEBUG = application("DEBUG"), RELEASE = application("RELEASE"), INJECT = application("INJECT");
const DATA = (app: AndroidApp) => `/data/data/${app.packageName}`;

/** A device with the test's packages; run-as lets nobody but developers put files into an application's data. */
function withPackages(use: (phone: Phone) => void): void {
  withPhone((phone) => {
    phone.put(RELEASE.nativeLibraryDir!, C).put(LAYERS_LIB, A, B, C, `${D}+utils1`, `${E}+utils2`);
    use(phone);
  });
}

/** The settings of a test, for the application they name. */
function settings(app: AndroidApp, layers: string | undefined, more: Record<string, string> = {}) {
  const names = layers === undefined
    ? undefined
    : layers.split(":").map((name) => name === "foo" ? name : layerName(name));
  const set: Record<string, string> = { enable_gpu_debug_layers: "1", gpu_debug_app: app.packageName! };
  return { ...set, ...names && { gpu_debug_layers: names.join(":") }, ...more };
}

/** The finds of the test's activity: layers enumerated, layers loaded, VK_EXT_debug_utils' versions. */
function activity(phone: Phone, app: AndroidApp, options: VulkanOptions) {
  const all = { driver: lavapipePath()!, app, ...options };
  using vulkan = phone.load(all);
  const utils = vulkan.vkEnumerateInstanceExtensionProperties(null).filter((each) => each.extensionName === UTILS);
  return {
    enumerated: phone.listed(all),
    loaded: phone.order(all),
    utils: utils.map(({ specVersion }) => specVersion),
  };
}

Deno.test("testDebugLayerLoadVulkan", CTS, () => {
  withPackages((phone) => {
    phone.put(DATA(DEBUG), A, B);
    assertEquals(activity(phone, DEBUG, { settings: settings(DEBUG, `${A}:${B}`) }).loaded, `${A} ${B}`);
  });
});

Deno.test("testReleaseLayerLoadVulkan", CTS, () => {
  withPackages((phone) => {
    phone.put(DATA(RELEASE), A); // even if it could be put there
    const { enumerated, loaded } = activity(phone, RELEASE, { settings: settings(RELEASE, `${A}:${B}`) });
    assertEquals([enumerated, loaded], [[C], ""]);
  });
});

Deno.test("testInjectLayerLoadVulkan", CTS, () => {
  withPackages((phone) => {
    const { enumerated, loaded } = activity(phone, INJECT, { settings: settings(INJECT, `${A}:${B}`) });
    assertEquals([enumerated, loaded], [[], "-6"]);
  });
});

Deno.test("testDebugNotEnabledVulkan", CTS, () => {
  withPackages((phone) => {
    phone.put(DATA(DEBUG), A);
    const off = settings(DEBUG, A, { enable_gpu_debug_layers: "0" });
    assertEquals(activity(phone, DEBUG, { settings: off }).enumerated, []);
  });
});

Deno.test("testDebugWrongAppVulkan", CTS, () => {
  withPackages((phone) => {
    phone.put(DATA(DEBUG), A);
    assertEquals(activity(phone, DEBUG, { settings: settings(RELEASE, A) }).enumerated, []);
  });
});

Deno.test("testDebugNoLayersEnabledVulkan", CTS, () => {
  withPackages((phone) => {
    phone.put(DATA(DEBUG), A);
    const { enumerated, loaded } = activity(phone, DEBUG, { settings: settings(DEBUG, "foo") });
    assertEquals([enumerated, loaded], [[A], "-6"]);
  });
});

Deno.test("testSystemPropertyEnableVulkan", CTS, () => {
  withPackages((phone) => {
    const options = {
      settings: settings(RELEASE, undefined),
      systemProperties: { "debug.vulkan.layers": layerName(C) },
    };
    const { enumerated, loaded } = activity(phone, RELEASE, options);
    assertEquals([enumerated, loaded], [[C], C]);
  });
});

Deno.test("testSystemPropertyIgnoreVulkan", CTS, () => {
  withPackages((phone) => {
    phone.put(DATA(DEBUG), A, B);
    const options = { settings: settings(DEBUG, A), systemProperties: { "debug.vulkan.layers": layerName(B) } };
    assertEquals(activity(phone, DEBUG, options).loaded, A);
  });
});

for (
  const [name, app] of [["testDebugLayerLoadExternalVulkan", DEBUG], [
    "testInjectLayerLoadExternalVulkan",
    INJECT,
  ]] as const
) {
  Deno.test(name, CTS, () => {
    withPackages((phone) => {
      const external = settings(app, C, { gpu_debug_layer_app: LAYERS_APP });
      assertEquals(activity(phone, app, { settings: external }).loaded, C);
      assertEquals(activity(phone, app, { settings: settings(app, C) }).loaded, "-6");
    });
  });
}

Deno.test("testInstanceExtensionPropertiesFromImplicitLayerVulkanBasic", CTS, () => {
  withPackages((phone) => {
    const external = settings(DEBUG, D, { gpu_debug_layer_app: LAYERS_APP });
    const { loaded, utils } = activity(phone, DEBUG, { settings: external });
    assertEquals([loaded, utils], [D, [1]]);
  });
});

Deno.test("testInstanceExtensionPropertiesFromImplicitLayerVulkanMultipleLayers", CTS, () => {
  withPackages((phone) => {
    const external = settings(DEBUG, `${E}:${D}`, { gpu_debug_layer_app: LAYERS_APP });
    const { loaded, utils } = activity(phone, DEBUG, { settings: external });
    assertEquals([loaded, utils], [`${E} ${D}`, [2]]);
  });
});

Deno.test("dEQP-VK.api.info.android.no_layers", CTS, () => {
  withPhone((phone) => {
    phone.put(LAYERS_LIB, A);
    using vulkan = phone.load({ driver: lavapipePath()!, app: DEBUG });
    using instance = vulkan.vkCreateInstance({});
    assertEquals(vulkan.vkEnumerateInstanceLayerProperties(), []);
    for (const gpu of instance.vkEnumeratePhysicalDevices()) assertEquals(gpu.vkEnumerateDeviceLayerProperties(), []);
  });
});

Deno.test("dEQP-VK.api.info.android.mandatory_extensions", CTS, () => {
  withPhone((phone) => {
    using vulkan = phone.load({ driver: lavapipePath()!, app: DEBUG });
    using instance = vulkan.vkCreateInstance({});
    const names = (list: readonly { extensionName: string }[]) => list.map(({ extensionName }) => extensionName);
    const own = names(vulkan.vkEnumerateInstanceExtensionProperties(null));
    assert(own.includes("VK_KHR_get_physical_device_properties2"));
    for (const gpu of instance.vkEnumeratePhysicalDevices()) {
      assert(names(gpu.vkEnumerateDeviceExtensionProperties(null)).includes("VK_KHR_maintenance1"));
    }
  });
});

Deno.test("libvulkan_test: a layer whose file has another prefix is not there", CTS, () => {
  withPhone((phone) => {
    phone.put(DEBUG.nativeLibraryDir!, A);
    const folder = phone.root + DEBUG.nativeLibraryDir;
    using before = phone.load({ driver: lavapipePath()!, app: DEBUG });
    using _instance = before.vkCreateInstance(asking(A));
    Deno.renameSync(`${folder}/libVkLayer_${A}.so`, `${folder}/libVKLayer_${A}.so`);
    using after = phone.load({ driver: lavapipePath()!, app: DEBUG });
    assertEquals(resultOf(() => after.vkCreateInstance(asking(A))), -6);
  });
});
