/**
 * Makes an instance with layers and a device on the system's own loader, as a
 * native program does: `system.ts LAYER...`. Prints `made`, or fails with the
 * result.
 *
 * @module
 */
import { NativeVulkan } from "../../../install/native.ts";

using vulkan = new NativeVulkan();
const instance = vulkan.createInstance(Deno.args), device = vulkan.createDevice(vulkan.firstGpu(instance), 1);
vulkan.call("vkDestroyDevice", [device, 0n]);
vulkan.call("vkDestroyInstance", [instance, 0n]);
console.log("made");
