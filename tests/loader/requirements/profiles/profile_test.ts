import { assert, assertEquals, assertThrows } from "@std/assert";
import { evaluateProfile } from "../../../../loader/requirements/profiles/evaluate.ts";
import { knownProfiles, openProfiles } from "../../../../loader/requirements/profiles/profile_set.ts";
import { missText, type ProfileReport } from "../../../../loader/requirements/profiles/report.ts";
import { deviceThat, type Said } from "../facts.ts";

const R8 = 9;

/** A file with one profile, and one capability where nothing else is said. */
function file(capability: object, profile: object = {}, capabilities: object = {}) {
  return {
    capabilities: { only: capability, ...capabilities },
    profiles: { VP_TEST: { version: 2, "api-version": "1.1.50", capabilities: ["only"], ...profile } },
  };
}

function compare(profile: object, said: Said): ProfileReport {
  const { asked: [asked], find } = openProfiles([profile]);
  return evaluateProfile(asked, deviceThat(said), find);
}

function missesOf(profile: object, said: Said): string[] {
  return compare(profile, said).misses.map(missText);
}

Deno.test("a profile's version is compared by major and minor", () => {
  assertEquals(missesOf(file({}), { apiVersion: 0x401000 }), []);
  assertEquals(missesOf(file({}), { apiVersion: 0x400fff }), ["apiVersion: wanted 1.1.50, found 1.0.4095"]);
});

Deno.test("a profile's extensions are wanted in their revision or a newer one", () => {
  const wanted = file({ extensions: { VK_KHR_maintenance1: 2 } });
  assertEquals(missesOf(wanted, { extensions: { VK_KHR_maintenance1: 3 } }), []);
  assertEquals(missesOf(wanted, { extensions: { VK_KHR_maintenance1: 1 } }), [
    "VK_KHR_maintenance1: wanted revision 2, found revision 1",
  ]);
  assertEquals(missesOf(wanted, {}), ["VK_KHR_maintenance1: wanted revision 2, found none"]);
});

Deno.test("a profile's features are wanted if they are true, under any name of their struct", () => {
  const wanted = file({
    features: {
      VkPhysicalDeviceFeatures: { geometryShader: true, wideLines: false },
      VkPhysicalDeviceVariablePointerFeaturesKHR: { variablePointers: true },
      VkPhysicalDeviceFeatures2KHR: { features: { sampleRateShading: true } },
    },
  });
  const structs = {
    VkPhysicalDeviceFeatures: { geometryShader: true, wideLines: true },
    VkPhysicalDeviceVariablePointersFeatures: { variablePointers: true },
    VkPhysicalDeviceFeatures2: { features: { sampleRateShading: true } },
  };
  assertEquals(missesOf(wanted, { structs }), []);
  assertEquals(missesOf(wanted, { structs: { VkPhysicalDeviceFeatures: { geometryShader: false } } }), [
    "VkPhysicalDeviceFeatures.geometryShader: wanted true, found false",
    "VkPhysicalDeviceVariablePointerFeaturesKHR.variablePointers: wanted true, found no way to ask",
    "VkPhysicalDeviceFeatures2KHR.sampleRateShading: wanted true, found no way to ask",
  ]);
});

Deno.test("a profile's properties are compared as the registry says, inner structs and bits by name included", () => {
  const wanted = file({
    properties: {
      VkPhysicalDeviceProperties: {
        limits: {
          maxImageDimension2D: 4096,
          viewportBoundsRange: [-8192, 8191],
          framebufferColorSampleCounts: ["VK_SAMPLE_COUNT_1_BIT", "VK_SAMPLE_COUNT_4_BIT"],
          minUniformBufferOffsetAlignment: 256,
          standardSampleLocations: true,
        },
      },
      VkPhysicalDeviceFloatControlsPropertiesKHR: {
        denormBehaviorIndependence: "VK_SHADER_FLOAT_CONTROLS_INDEPENDENCE_ALL_KHR",
      },
    },
  });
  const good = {
    maxImageDimension2D: 8192,
    viewportBoundsRange: [-16384, 16384],
    framebufferColorSampleCounts: 0xd,
    minUniformBufferOffsetAlignment: 64n,
    standardSampleLocations: true,
  };
  const controls = { VkPhysicalDeviceFloatControlsProperties: { denormBehaviorIndependence: 1 } };
  assertEquals(missesOf(wanted, { structs: { VkPhysicalDeviceProperties: { limits: good }, ...controls } }), []);
  const bad = {
    maxImageDimension2D: 2048,
    viewportBoundsRange: [-4096, 16384],
    framebufferColorSampleCounts: 1,
    minUniformBufferOffsetAlignment: 96n,
    standardSampleLocations: false,
  };
  assertEquals(missesOf(wanted, { structs: { VkPhysicalDeviceProperties: { limits: bad } } }), [
    "VkPhysicalDeviceProperties.limits.maxImageDimension2D: wanted at least 4096, found 2048",
    "VkPhysicalDeviceProperties.limits.viewportBoundsRange: wanted [-8192, 8191], found [-4096, 16384]",
    "VkPhysicalDeviceProperties.limits.framebufferColorSampleCounts: wanted VK_SAMPLE_COUNT_1_BIT | VK_SAMPLE_COUNT_4_BIT, found VK_SAMPLE_COUNT_1_BIT",
    "VkPhysicalDeviceProperties.limits.minUniformBufferOffsetAlignment: wanted at most 256, found 96",
    "VkPhysicalDeviceProperties.limits.standardSampleLocations: wanted true, found false",
    "VkPhysicalDeviceFloatControlsPropertiesKHR.denormBehaviorIndependence: wanted VK_SHADER_FLOAT_CONTROLS_INDEPENDENCE_ALL, found no way to ask",
  ]);
});

Deno.test("a profile's formats are compared by every struct that states them", () => {
  for (
    const [struct, inner] of [["VkFormatProperties", ""], ["VkFormatProperties2KHR", "formatProperties"], [
      "VkFormatProperties3",
      "",
    ]]
  ) {
    const prefix = struct.endsWith("3") ? "VK_FORMAT_FEATURE_2" : "VK_FORMAT_FEATURE";
    const values = {
      linearTilingFeatures: [`${prefix}_TRANSFER_SRC_BIT`],
      optimalTilingFeatures: [`${prefix}_SAMPLED_IMAGE_BIT`, `${prefix}_BLIT_SRC_BIT`],
      bufferFeatures: [],
    };
    const wanted = file({ formats: { VK_FORMAT_R8_UNORM: { [struct]: inner ? { [inner]: values } : values } } });
    const formats = { [R8]: { linearTilingFeatures: 0x4000n, optimalTilingFeatures: 0x401n } };
    assertEquals(missesOf(wanted, { formats }), []);
    assertEquals(missesOf(wanted, { formats: { [R8]: { optimalTilingFeatures: 0x400n } } }), [
      "VK_FORMAT_R8_UNORM.linearTilingFeatures: wanted TRANSFER_SRC, found no TRANSFER_SRC",
      "VK_FORMAT_R8_UNORM.optimalTilingFeatures: wanted SAMPLED_IMAGE | BLIT_SRC, found no SAMPLED_IMAGE",
    ]);
  }
});

Deno.test("a profile's queue families are each to be had", () => {
  const wanted = file({
    queueFamiliesProperties: [
      { VkQueueFamilyProperties: { queueFlags: ["VK_QUEUE_GRAPHICS_BIT", "VK_QUEUE_COMPUTE_BIT"], queueCount: 1 } },
      { VkQueueFamilyProperties2: { queueFamilyProperties: { timestampValidBits: 36 } } },
    ],
  });
  const all = [{ queueFlags: 7, queueCount: 4, timestampValidBits: 0 }, { queueFlags: 4, timestampValidBits: 64 }];
  assertEquals(compare(wanted, { queueFamilies: all }).supported, true);
  assertEquals(missesOf(wanted, { queueFamilies: all.slice(0, 1) }), [
    'queueFamiliesProperties[1]: wanted {"timestampValidBits":36}, found 1 families, none of which has all of it',
  ]);
});

Deno.test("of alternatives one will do, and there a feature may have to be missing", () => {
  const wanted = file({}, { capabilities: [["lines", "none"]] }, {
    lines: {
      features: { VkPhysicalDeviceFeatures: { wideLines: true } },
      properties: { VkPhysicalDeviceProperties: { limits: { lineWidthGranularity: 0.5 } } },
    },
    none: { features: { VkPhysicalDeviceFeatures: { wideLines: false } } },
  });
  const device = (wideLines: boolean, lineWidthGranularity: number): Said => ({
    structs: {
      VkPhysicalDeviceFeatures: { wideLines },
      VkPhysicalDeviceProperties: { limits: { lineWidthGranularity } },
    },
  });
  assertEquals([device(false, 1), device(true, 0.125)].map((each) => compare(wanted, each).supported), [true, true]);
  assertEquals(missesOf(wanted, device(true, 1)), [
    "VkPhysicalDeviceProperties.limits.lineWidthGranularity: wanted at most 0.5, found 1 (or none)",
  ]);
});

Deno.test("optional capabilities are reported and hold up nobody", () => {
  const wanted = file({}, { optionals: ["more", "less"] }, {
    more: { extensions: { VK_KHR_maintenance9: 1 } },
    less: {},
  });
  const { supported, optionals } = compare(wanted, {});
  assertEquals([supported, optionals], [true, [{ capability: "more", supported: false }, {
    capability: "less",
    supported: true,
  }]]);
});

Deno.test("what a profile requires is compared, too, and each profile once", () => {
  const requiring = (name: string) => ({ ...file({}, { profiles: [name] }) });
  assertEquals(compare(requiring("VP_TEST"), {}).asked, 1);
  const misses = compare(requiring("VP_ANDROID_baseline_2021"), {}).misses;
  assert(misses.length > 300 && misses.every(({ profile }) => profile === "VP_ANDROID_baseline_2021"));
  assertThrows(() => compare(requiring("VP_NOBODY"), {}), TypeError, "Cannot find profile VP_NOBODY");
});

Deno.test("openProfiles() reads files by path, and says what is wrong with others", () => {
  const path = Deno.makeTempFileSync({ suffix: ".json" });
  try {
    Deno.writeTextFileSync(path, JSON.stringify(file({ extensions: { VK_KHR_surface: 1 } })));
    const [{ name, version, apiVersion }] = openProfiles([path]).asked;
    assertEquals([name, version, apiVersion], ["VP_TEST", 2, 0x401032]);
    Deno.writeTextFileSync(path, "{");
    assertThrows(() => openProfiles([path]), TypeError, `Cannot read the Vulkan Profiles file "${path}"`);
  } finally {
    Deno.removeSync(path);
  }
  const refused = (wanted: string | object, why: string) => assertThrows(() => openProfiles([wanted]), TypeError, why);
  refused(path, "check the path");
  refused("VP_ANDROID_baseline_2020", "or one of VP_ANDROID_15_minimums");
  refused({}, 'it has no "profiles" and "capabilities"');
  refused(file({}, { capabilities: ["other"] }), 'names capability "other"');
  refused(file({}, { capabilities: "only" }), 'lists no "capabilities"');
  refused(file({}, { capabilities: [[]] }), "has a choice of no capability");
  refused(file({}, { "api-version": "new" }), 'has "api-version" "new"');
  refused(file({ features: [] }), "a part of capability only is no object");
});

Deno.test("a profile that names what does not exist is refused", () => {
  const refused = (capability: object, why: string) =>
    assertThrows(() => compare(file(capability), {}), TypeError, why);
  refused({ features: { VkPhysicalDeviceNoFeatures: { x: true } } }, "no struct VkPhysicalDeviceNoFeatures");
  refused({ features: { VkPhysicalDeviceFeatures: { geometryShadder: true } } }, "no member geometryShadder");
  refused({ properties: { VkPhysicalDeviceProperties: { limits: { maxImage: 1 } } } }, "no member maxImage");
  refused({ formats: { VK_FORMAT_R7: { VkFormatProperties: {} } } }, "no value VK_FORMAT_R7");
  refused({ formats: { VK_FORMAT_R8_UNORM: { VkNo: {} } } }, "stated by VkNo");
  const bits = { framebufferColorSampleCounts: ["VK_SAMPLE_COUNT_3_BIT"] };
  refused({ properties: { VkPhysicalDeviceProperties: { limits: bits } } }, "no value VK_SAMPLE_COUNT_3_BIT");
});

Deno.test("knownProfiles() are Android's, and name nothing that the registry lacks", () => {
  const known = knownProfiles();
  assertEquals([...known.keys()], [
    "VP_ANDROID_15_minimums",
    "VP_ANDROID_15_requirements",
    "VP_ANDROID_16_minimums",
    "VP_ANDROID_16_requirements",
    "VP_ANDROID_17_requirements",
    "VP_ANDROID_baseline_2021",
    "VP_ANDROID_baseline_2022",
    "VP_ANDROID_vulkan_profile_2021",
    "VP_ANDROID_vulkan_profile_2022",
    "VP_ANDROID_vulkan_profile_2025",
  ]);
  const { find } = openProfiles([]);
  for (const profile of known.values()) {
    const { asked, misses } = evaluateProfile(profile, deviceThat({ apiVersion: 0x404000 }), find);
    assert(misses.length > asked - 120, profile.name); // formats that ask for no bits are met
  }
});
