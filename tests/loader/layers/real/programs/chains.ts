/**
 * Draws the demo's scene through chains of layers: `chains.ts DRIVER CHAIN...`,
 * where a chain is layers from top to bottom with a space between two: native
 * ones, `VK_LAYER_...`, and TypeScript ones of any other name. Prints for each
 * chain whether the pixels are those drawn without any layer, and what each
 * TypeScript layer counted.
 *
 * @module
 */
import { createRenderer } from "../../../../../examples/draw/renderer.ts";
import { type Layer, loadVulkan } from "../../../../../loader/mod.ts";
import { VK_API_VERSION_1_0 } from "../../../../../loader/vk.ts";
import { counter, type Counts } from "./counter.ts";

/** Small, as software drivers draw it for each chain; all passes of the scene are there in any size. */
const SIZE = { width: 64, height: 36 };
const [driver, ...chains] = Deno.args, plain = draw([]);
console.log(JSON.stringify(chains.map(report)));

function report(chain: string) {
  console.error(chain); // the last one when a layer ends the process
  const counts: Record<string, Counts> = {};
  const layers = chain.split(" ").map((name) => {
    if (name.startsWith("VK_LAYER_")) return name;
    const made = counter(name);
    counts[name] = made.counts;
    return made.layer;
  });
  const pixels = draw(layers);
  return { same: pixels.every((byte, index) => byte === plain[index]), counts };
}

function draw(layers: (Layer | string)[]): Uint8Array {
  using vulkan = loadVulkan({ driver, layers });
  using instance = vulkan.vkCreateInstance({ pApplicationInfo: { apiVersion: VK_API_VERSION_1_0 } });
  const [gpu] = instance.vkEnumeratePhysicalDevices();
  using renderer = createRenderer(gpu, SIZE, () => {});
  return renderer.draw(0);
}
