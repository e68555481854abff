/**
 * Installs a loader twice where emitted code is loaded by one road only, and
 * prints what came of it: `road.ts DRIVER ROAD`.
 *
 * @module
 */
import { configureImage, type ImageRoad } from "../../../../ffi/mod.ts";
import { loadVulkan } from "../../../../loader/mod.ts";

const [driver, road] = Deno.args;
configureImage({ road: road as ImageRoad });
using vulkan = loadVulkan({ driver });
try {
  for (let i = 0; i < 2; i++) vulkan.install().uninstall();
  console.log("installed");
} catch (error) {
  console.log((error as Error).message);
}
