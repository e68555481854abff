/**
 * Fills a buffer with what layers the environment asks for: `implicit.ts
 * DRIVER`. Prints what is read back, and the layers there were, top to bottom.
 *
 * @module
 */
import { loadVulkan } from "../../../../../loader/mod.ts";
import { fillAndRead } from "../../../fill.ts";

const [driver] = Deno.args;
using vulkan = loadVulkan({ driver, implicitLayers: true });
using instance = vulkan.vkCreateInstance({});
const read = fillAndRead(instance, 0x1abe15);
const layers = vulkan.explain().filter(({ subject, taken }) => subject === "layer" && taken);
console.log(JSON.stringify({ read, layers: layers.map(({ reason }) => reason.split(",")[0]) }));
