import { assertEquals, assertStringIncludes } from "@std/assert";
import { systemLoaderPath } from "../../../../tools/setup/parts.ts";
import { onPath } from "../../../../tools/setup/files.ts";
import { needs } from "../../../support/require.ts";
import { type Outcome, run } from "../../../support/subprocess.ts";
import { withFolder } from "../../../support/temporary.ts";
import { DRIVERS, LAYERS, runLayered } from "./layers.ts";
import { onSystemLoader } from "./system_loader.ts";

const NEEDS_PROGRAM = needs("system Vulkan loader", systemLoaderPath()).ignore ||
  needs("vulkaninfo", onPath("vulkaninfo")).ignore;
const SEGMENTATION_FAULT = 128 + 11;

/** Makes a device with a layer, once on the system's loader, where variables ask for the layer, and once on ours. */
function onBoth(
  driver: string,
  layer: string,
  variables: Record<string, string>,
): { theirs: Outcome; ours: Outcome } {
  return withFolder((folder) => {
    const env = { ...onSystemLoader(driver, folder), ...variables };
    const theirs = run("vulkaninfo", ["--summary"], { seconds: 60, env });
    return { theirs, ours: runLayered("arrangements", [driver, layer, "32", "32"], folder) };
  });
}

Deno.test("vkBasalt asks for a feature that SwiftShader lacks, and gets no device on the system's loader either", {
  ignore: NEEDS_PROGRAM || LAYERS.vkBasalt.ignore || DRIVERS.SwiftShader.ignore,
}, () => {
  const { theirs, ours } = onBoth(DRIVERS.SwiftShader.driver, LAYERS.vkBasalt.layer, { ENABLE_VKBASALT: "1" });
  assertStringIncludes(theirs.output, "vkCreateDevice failed with ERROR_FEATURE_NOT_PRESENT");
  assertStringIncludes(ours.output, "vkCreateDevice failed: VK_ERROR_FEATURE_NOT_PRESENT");
  assertEquals([theirs.code, ours.code], [1, 1]);
});

Deno.test("INTEL_nullhw calls address 0 while a device is made, on the system's loader, too", {
  ignore: NEEDS_PROGRAM || DRIVERS.lavapipe.ignore || LAYERS.overlay.ignore, // it comes with the overlay
}, () => {
  const layer = "VK_LAYER_INTEL_nullhw";
  const { theirs, ours } = onBoth(DRIVERS.lavapipe.driver, layer, { VK_INSTANCE_LAYERS: layer });
  assertEquals([theirs.code, ours.code], [SEGMENTATION_FAULT, SEGMENTATION_FAULT]);
});
