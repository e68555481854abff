import { assertEquals, assertStringIncludes } from "@std/assert";
import { systemLoaderPath } from "../../../../tools/setup/parts.ts";
import { needs } from "../../../support/require.ts";
import type { Outcome } from "../../../support/subprocess.ts";
import { withFolder } from "../../../support/temporary.ts";
import { DRIVERS, LAYERS, reported, runLayered } from "./layers.ts";
import { onSystemLoader } from "./system_loader.ts";

const NEEDS_LOADER = needs("system Vulkan loader", systemLoaderPath()).ignore;
const SEGMENTATION_FAULT = 128 + 11;

/** Makes a device with native layers, top to bottom, once on the system's loader and once on ours. */
function onBoth(driver: string, ...layers: string[]): { theirs: Outcome; ours: Outcome } {
  return withFolder((folder) => {
    const env = onSystemLoader(driver, folder), plain = runLayered("system", [], folder, env);
    assertEquals(plain.stdout, "made\n", plain.output); // so it is for the layers when there is no device
    return {
      theirs: runLayered("system", layers, folder, env),
      ours: runLayered("chains", [driver, layers.join(" ")], folder),
    };
  });
}

Deno.test("vkBasalt asks for a feature that SwiftShader lacks, and gets no device on the system's loader either", {
  ignore: NEEDS_LOADER || LAYERS.vkBasalt.ignore || DRIVERS.SwiftShader.ignore,
}, () => {
  const { theirs, ours } = onBoth(DRIVERS.SwiftShader.driver, LAYERS.vkBasalt.layer);
  assertStringIncludes(theirs.output, "native call failed: -8");
  assertStringIncludes(ours.output, "vkCreateDevice failed: VK_ERROR_FEATURE_NOT_PRESENT (-8)");
});

Deno.test("INTEL_nullhw calls address 0 while a device is made, on the system's loader, too", {
  ignore: NEEDS_LOADER || DRIVERS.lavapipe.ignore || LAYERS.overlay.ignore, // it comes with the overlay
}, () => {
  const { theirs, ours } = onBoth(DRIVERS.lavapipe.driver, "VK_LAYER_INTEL_nullhw");
  assertEquals([theirs.code, ours.code], [SEGMENTATION_FAULT, SEGMENTATION_FAULT]);
});

Deno.test(
  "the overlay right above RenderDoc gets no device, on the system's loader, too; a TypeScript layer between them helps",
  {
    ignore: NEEDS_LOADER || DRIVERS.lavapipe.ignore || LAYERS.overlay.ignore || LAYERS.RenderDoc.ignore,
  },
  () => {
    const { driver } = DRIVERS.lavapipe, pair = [LAYERS.overlay.layer, LAYERS.RenderDoc.layer];
    const { theirs, ours } = onBoth(driver, ...pair);
    assertStringIncludes(theirs.output, "native call failed: -3");
    assertStringIncludes(ours.output, "vkCreateDevice failed: VK_ERROR_INITIALIZATION_FAILED (-3)");
    const between = withFolder((folder) => runLayered("chains", [driver, pair.join(" between ")], folder));
    assertEquals(reported<{ same: boolean }[]>(between).map(({ same }) => same), [true]);
  },
);
