/**
 * Fills a buffer on the driver named by the first argument, through a layer,
 * and says what came of it. A program of its own, because V8 flags hold for a
 * whole process.
 *
 * @module
 */
import { mayGenerate } from "../../ffi/generated_code.ts";
import { defineLayer, loadVulkan } from "../../loader/mod.ts";
import { fillAndRead } from "../loader/fill.ts";

let calls = 0;
const counter = defineLayer({
  name: "VK_LAYER_TEST_counter",
  commands: {
    vkQueueSubmit(next, ...args) {
      calls++;
      return next(...args);
    },
  },
});
using vulkan = loadVulkan({ driver: Deno.args[0], layers: [counter] });
using instance = vulkan.vkCreateInstance({ pApplicationInfo: { pApplicationName: "fill" } });
const word = fillAndRead(instance, 0xfeedbeef);
console.log(`generated code: ${mayGenerate()}`);
console.log(`filled with 0x${word.toString(16)}, ${calls} layer call`);
