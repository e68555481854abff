/**
 * Draws the demo's scene with a native layer in every company: `arrangements.ts
 * DRIVER LAYER WIDTH HEIGHT`. Prints, for each arrangement of chain, whether
 * the pixels are those drawn without any layer, and what the TypeScript layers
 * counted.
 *
 * @module
 */
import { createRenderer } from "../../../../../examples/draw/renderer.ts";
import { type Layer, loadVulkan } from "../../../../../loader/mod.ts";
import { VK_API_VERSION_1_0 } from "../../../../../loader/vk.ts";
import { counter, type Counts } from "./counter.ts";

const [driver, native, width, height] = Deno.args;
const plain = draw([]), arrangements = ["native", "above native"];
console.log(JSON.stringify(Object.fromEntries(arrangements.map((name) => [name, report(name)]))));

function report(arrangement: string) {
  const counts: Record<string, Counts> = {}, places = arrangement.split(" ");
  const layers = places.map((place) => {
    if (place === "native") return native;
    const made = counter(place);
    counts[place] = made.counts;
    return made.layer;
  });
  const pixels = draw(layers);
  return { same: pixels.every((byte, index) => byte === plain[index]), counts };
}

function draw(layers: (Layer | string)[]): Uint8Array {
  using vulkan = loadVulkan({ driver, layers });
  using instance = vulkan.vkCreateInstance({ pApplicationInfo: { apiVersion: VK_API_VERSION_1_0 } });
  const [gpu] = instance.vkEnumeratePhysicalDevices();
  using renderer = createRenderer(gpu, { width: Number(width), height: Number(height) }, () => {});
  return renderer.draw(0);
}
