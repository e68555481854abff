/**
 * Installs a loader twice where emitted code is loaded by one load method only, and
 * prints what came of it: `load_method.ts DRIVER METHOD`.
 *
 * @module
 */
import { configureImage, type LoadMethod } from "../../../../ffi/mod.ts";
import { loadVulkan } from "../../../../loader/mod.ts";

const [driver, loadMethod] = Deno.args;
configureImage({ loadMethod: loadMethod as LoadMethod });
using vulkan = loadVulkan({ driver });
try {
  for (let i = 0; i < 2; i++) vulkan.install().uninstall();
  console.log("installed");
} catch (error) {
  console.log((error as Error).message);
}
