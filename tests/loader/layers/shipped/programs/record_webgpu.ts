/**
 * Deno's own WebGPU doubles numbers below the layer that records:
 * `record_webgpu.ts DRIVER FILE`.
 *
 * @module
 */
import { apiRecording } from "../../../../../workbench/recordings/record/record.ts";
import { loadVulkan } from "../../../../../loader/mod.ts";

const [driver, path] = Deno.args;
const recording = apiRecording({ path });
loadVulkan({ driver, layers: [recording.layer] }).install(); // not closed: what WebGPU made lives as long as the process
const adapter = await navigator.gpu.requestAdapter();
const device = await adapter!.requestDevice();
const code = `@group(0) @binding(0) var<storage, read_write> data: array<u32>;
@compute @workgroup_size(1) fn main(@builtin(global_invocation_id) id: vec3<u32>) { data[id.x] *= 2u; }`;
const compute = { module: device.createShaderModule({ code }), entryPoint: "main" };
const pipeline = device.createComputePipeline({ layout: "auto", compute });
const { STORAGE, COPY_SRC, COPY_DST, MAP_READ } = GPUBufferUsage;
const buffer = device.createBuffer({ size: 16, usage: STORAGE | COPY_SRC | COPY_DST });
const back = device.createBuffer({ size: 16, usage: MAP_READ | COPY_DST });
device.queue.writeBuffer(buffer, 0, Uint32Array.of(1, 2, 3, 4));
const group = device.createBindGroup({
  layout: pipeline.getBindGroupLayout(0),
  entries: [{ binding: 0, resource: { buffer } }],
});
const encoder = device.createCommandEncoder(), pass = encoder.beginComputePass();
pass.setPipeline(pipeline);
pass.setBindGroup(0, group);
pass.dispatchWorkgroups(4);
pass.end();
encoder.copyBufferToBuffer(buffer, 0, back, 0, 16);
device.queue.submit([encoder.finish()]);
await back.mapAsync(GPUMapMode.READ);
const result = [...new Uint32Array(back.getMappedRange())];
recording.close();
console.log(JSON.stringify({ result, error: String(recording.error), gaps: recording.gaps }));
Deno.exit(0);
