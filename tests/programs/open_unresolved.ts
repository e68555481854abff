/**
 * Opens a library as everything that is opened by a path, and prints what was
 * said of each: `open_unresolved.ts LIBRARY`.
 *
 * @module
 */
import { openVendor } from "../../egl/driver/glvnd_vendor.ts";
import { loadEgl } from "../../egl/mod.ts";
import { openHwc2 } from "../../hwc/mod.ts";
import { loadVulkan } from "../../loader/mod.ts";
import { defineDriver } from "../../loader/drivers.ts";
import { withFolderAsync } from "../support/temporary.ts";

const [library] = Deno.args;

/** The error that a call throws. */
async function said(open: () => unknown): Promise<string> {
  try {
    await open();
    return "nothing";
  } catch (error) {
    return (error as Error).message;
  }
}

function layerManifest(folder: string): string {
  const path = `${folder}/layer.json`, about = { type: "GLOBAL", api_version: "1.3.0", implementation_version: "1" };
  const layer = { name: "VK_LAYER_TEST_unresolved", library_path: library, description: "", ...about };
  Deno.writeTextFileSync(path, JSON.stringify({ file_format_version: "1.2.0", layer }));
  return path;
}

function driverManifest(folder: string): string {
  const path = `${folder}/driver.json`, ICD = { library_path: library, api_version: "1.3.0" };
  Deno.writeTextFileSync(path, JSON.stringify({ file_format_version: "1.0.1", ICD }));
  return path;
}

function withLayer(path: string): void {
  using driver = defineDriver({ name: "plain" });
  using vulkan = loadVulkan({ driver, layers: [path] });
  vulkan.vkCreateInstance({});
}

await withFolderAsync(async (folder) => {
  const ways: [string, () => unknown][] = [
    ["driver", () => loadVulkan({ driver: library })],
    ["manifest", () => loadVulkan({ driver: driverManifest(folder) })],
    ["layer", () => withLayer(layerManifest(folder))],
    ["EGL driver", () => loadEgl({ driver: library })],
    ["EGL vendor", () => openVendor(library)],
    ["composer", () => openHwc2(library)],
  ];
  const all: Record<string, string> = {};
  for (const [what, open] of ways) all[what] = await said(open);
  console.log(JSON.stringify(all));
});
