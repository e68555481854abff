/**
 * Deno's own WebGPU makes a device, a buffer and a shader below every layer
 * that ships: `webgpu.ts DRIVER FOLDER`. Deno ends a process whose hooks call
 * Deno while it calls Vulkan, so that getting to the end is the test.
 *
 * @module
 */
import { apiTrace, loadVulkan, profile } from "../../../../../loader/mod.ts";

const [driver, folder] = Deno.args;
using trace = apiTrace({ path: `${folder}/webgpu.jsonl` });
const layers = [trace.layer, profile().layer];
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
console.log(JSON.stringify({ instances: installed.instances().length, error: String(trace.error) }));
Deno.exit(0);
