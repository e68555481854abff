/**
 * The default that the documentation of an option tells is the one in the code.
 *
 * @module
 */
import { assert, assertEquals } from "@std/assert";
import { defaultsInCode, sourceText } from "./defaults_in_code.ts";
import { documentedDefault, optionMembers } from "./option_members.ts";

/** Defaults in the code that are no default of an option by their form: a file, and the text that says it there. */
const ELSEWHERE: Readonly<Record<string, readonly [file: string, text: string]>> = {
  "AdaptorOptions.semaphores": ["wsi/adaptor/driver_device.ts", 'this.options.semaphores !== "native"'],
  "AndroidSearch.halSearch": ["loader/driver/android/search.ts", 'halSearch === "hw_get_module" ? classicModule'],
  "CompareOptions.bisect": ["workbench/recordings/compare/compare_drivers.ts", "options.bisect === false"],
  "ConvertOptions.order": ["wsi/consumer/pixels/convert.ts", 'options.order === "bgra"'],
  "DeviceConditions.release": ["loader/driver/android/options.ts", "NEWEST_RELEASE: AndroidRelease = 17"],
  "DriverSpec.apiVersion": ["loader/scripted/state.ts", "? VK_API_VERSION_1_3"],
  "DriverSearch.platform": ["loader/driver/search/search.ts", 'wanted === undefined || wanted === "auto"'],
  "EglDriverOptions.driver": ["egl/driver/options.ts", 'wanted: WantedEglDriver | object = "auto"'],
  "EglDriverOptions.platform": ["loader/driver/search/search.ts", 'wanted === undefined || wanted === "auto"'],
  "EglDriverOptions.release": ["egl/driver/android_search.ts", "options.release ?? NEWEST_RELEASE"],
  "EglOptions.driver": ["egl/driver/options.ts", 'wanted: WantedEglDriver | object = "auto"'],
  "FetchOptions.download": ["ffi/fetch.ts", "options.download ?? await plug()"],
  "GlesLayerOptions.foreignCalls": ["loader/layers/hooks/foreign_calls.ts", "FOREIGN_CALLS = 65_536"],
  "GpuTestOptions.goldens": ["workbench/runs/testing/places.ts", 'options.goldens ?? "goldens"'],
  "ReferenceComposerOptions.maxLayers": ["hwc/core/calls/layer_calls.ts", "DEFAULT_MOST = 512"],
  "ReferenceComposerOptions.planes": ["hwc/core/device.ts", "this.options.planes ?? fourPlane()"],
  "ReferenceComposerOptions.strategy": ["hwc/core/device.ts", "options.strategy ?? leastGpuWork()"],
  "ReferenceComposerOptions.sideband": ["hwc/core/calls/device_calls.ts", "options.sideband === false ? []"],
  "ReferenceComposerOptions.skipValidate": [
    "hwc/core/calls/device_calls.ts",
    "options.skipValidate === false ? []",
  ],
  "ReplayOptions.fill": ["workbench/recordings/replay/memory.ts", "fill = 0,"],
  "SamplerOptions.filter": [
    "wsi/gpu/sampler.ts",
    'options.filter === "nearest" ? VK_FILTER_NEAREST : VK_FILTER_LINEAR',
  ],
  "ThreadedOptions.leastPixels": ["hwc/backends/bands/band.ts", "LEAST_PIXELS = 1 << 20"],
  "VulkanBackendOptions.hostImport": ["hwc/backends/vulkan/device.ts", "options.hostImport === false ? 0"],
  "VulkanOptions.foreignCalls": ["loader/layers/hooks/foreign_calls.ts", "FOREIGN_CALLS = 65_536"],
};

/** Each option whose documentation tells a value as its default, with the values that stand in the code. */
const told: (readonly [option: string, value: string, inCode: ReadonlySet<string>])[] = [];
for (const [name, members] of await optionMembers()) {
  for (const { owner, fallback } of members) {
    const value = documentedDefault(fallback ?? "");
    if (value !== undefined) told.push([`${owner}.${name}`, value, defaultsInCode(owner, name)]);
  }
}

Deno.test("the default that an option's documentation tells is the one in the code", () => {
  assert(told.length > 100, `${told.length} defaults`);
  // An option that is left out is false.
  const differing = told.filter(([, value, inCode]) => !inCode.has(value) && (value !== "false" || inCode.size > 0));
  const found = differing.map(([option, value, inCode]) =>
    `${option}: ${value}, in the code ${[...inCode].join(", ")}`
  );
  const unknown = found.filter((_, index) => !(differing[index][0] in ELSEWHERE));
  assertEquals(unknown, [], "mend the documentation, or say in ELSEWHERE where the default is");
  assertEquals(
    differing.map(([option]) => option).sort(),
    Object.keys(ELSEWHERE).sort(),
    "these need no place any more",
  );
});

Deno.test("defaults that have another form in the code are where this test says", () => {
  const gone = Object.entries(ELSEWHERE).filter(([, [file, text]]) => !sourceText(file).includes(text));
  assertEquals(gone.map(([option]) => option), []);
});

Deno.test("a documented default is a value where it could stand in code", () => {
  const cases = [["65,536", "65536"], ["`true`", "true"], ['`"linear"`', '"linear"'], ["2²⁰", "1048576"], [
    "no",
    "false",
  ]];
  for (const [text, value] of cases) assertEquals(documentedDefault(text), value);
  for (const text of ["the consumer's width", "none", "", "1 frame"]) assertEquals(documentedDefault(text), undefined);
});
