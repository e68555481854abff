/**
 * Deno's own WebGPU makes a device, a buffer and a shader below every layer
 * that ships: `webgpu.ts DRIVER FOLDER`. Deno ends a process whose hooks call
 * Deno while it calls Vulkan, so that getting to the end is the test.
 *
 * @module
 */
import { apiTrace } from "../../../../../loader/layers/shipped/trace/api_trace.ts";
import { deviceLimits } from "../../../../../loader/layers/shipped/limits/limits.ts";
import { faultInjection } from "../../../../../loader/layers/shipped/faults/fault_injection.ts";
import { objectLeaks } from "../../../../../loader/layers/shipped/leaks/object_leaks.ts";
import { spirvDump } from "../../../../../loader/layers/shipped/spirv/spirv_dump.ts";
import { apiProfile } from "../../../../../loader/layers/shipped/profile/profile.ts";
import { loadVulkan } from "../../../../../loader/mod.ts";

const [driver, folder] = Deno.args;
using trace = apiTrace({ path: `${folder}/webgpu.jsonl` });
const dump = spirvDump({ folder, replace: (_hash, words) => Uint32Array.from(words) });
const leaks = objectLeaks(), { layer: small } = deviceLimits({ limits: { maxImageDimension2D: 8192 } });
const { layer: faults } = faultInjection({ rules: [{ command: /./, result: "VK_ERROR_DEVICE_LOST", probability: 0 }] });
const layers = [trace.layer, apiProfile().layer, leaks.layer, small, dump.layer, faults];
const installed = loadVulkan({ driver, layers }).install(); // not closed: what WebGPU made lives as long as the process
const adapter = await navigator.gpu.requestAdapter();
const device = await adapter!.requestDevice();
const buffer = device.createBuffer({ size: 64, usage: GPUBufferUsage.COPY_SRC | GPUBufferUsage.COPY_DST });
const code = "@compute @workgroup_size(1) fn main() {}";
const module = device.createShaderModule({ code });
device.createComputePipeline({ layout: "auto", compute: { module, entryPoint: "main" } });
device.queue.writeBuffer(buffer, 0, new Uint32Array(16));
device.queue.submit([]);
await device.queue.onSubmittedWorkDone();
const made = leaks.report().live.map(({ type }) => type);
console.log(JSON.stringify({
  instances: installed.instances().length,
  error: String(trace.error),
  dimension: device.limits.maxTextureDimension2D,
  shaders: dump.shaders.length > 0 && String(dump.error),
  made: ["VkInstance", "VkDevice", "VkBuffer", "VkPipeline"].filter((type) => made.includes(type)),
}));
Deno.exit(0);
