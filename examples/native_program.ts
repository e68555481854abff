/**
 * Native code of this process that opens Vulkan by itself, on your driver and
 * below your layer: Deno's own WebGPU, which is written in Rust.
 *
 * ```sh
 * deno run --unstable-webgpu --allow-ffi --allow-read '--allow-env=HOME,XDG_*,VK_*' examples/native_program.ts
 * ```
 *
 * WebGPU squares numbers; it prints the result, and the Vulkan commands that
 * WebGPU called most often. `install()` works in the same way for SDL, GLFW,
 * libplacebo, or any library that opens or links libvulkan.so.1 afterwards.
 *
 * @module
 */
import { defineLayer, loadVulkan } from "@pumice/gfx";

const COUNT = 64, BYTES = 4 * COUNT;
const code = `
  @group(0) @binding(0) var<storage, read_write> numbers: array<u32>;
  @compute @workgroup_size(${COUNT}) fn square(@builtin(global_invocation_id) id: vec3u) {
    numbers[id.x] = id.x * id.x;
  }`;

const calls = new Map<string, number>();
const counter = defineLayer({
  name: "VK_LAYER_EXAMPLE_counter",
  anyCommand: (name) => (next, ...args) => {
    calls.set(name, (calls.get(name) ?? 0) + 1); // no functions of Deno here: Deno itself is the caller
    return next(...args);
  },
});
const vulkan = loadVulkan({ layers: [counter] }); // stays open as long as WebGPU's objects live
vulkan.install();

const adapter = await navigator.gpu.requestAdapter();
if (!adapter) throw new Error("WebGPU accepts no device of this driver");
const device = await adapter.requestDevice();
const { STORAGE, COPY_SRC, COPY_DST, MAP_READ } = GPUBufferUsage;
const numbers = device.createBuffer({ size: BYTES, usage: STORAGE | COPY_SRC });
const result = device.createBuffer({ size: BYTES, usage: MAP_READ | COPY_DST });
const module = device.createShaderModule({ code });
const pipeline = device.createComputePipeline({ layout: "auto", compute: { module } });
const commands = device.createCommandEncoder(), pass = commands.beginComputePass();
pass.setPipeline(pipeline);
const entries = [{ binding: 0, resource: { buffer: numbers } }];
pass.setBindGroup(0, device.createBindGroup({ layout: pipeline.getBindGroupLayout(0), entries }));
pass.dispatchWorkgroups(1);
pass.end();
commands.copyBufferToBuffer(numbers, 0, result, 0, BYTES);
device.queue.submit([commands.finish()]);
await result.mapAsync(GPUMapMode.READ);
const squares = new Uint32Array(result.getMappedRange().slice(0));
console.log(`${adapter.info.description}: ${squares.slice(0, 10).join(", ")} …`);
for (const [name, count] of [...calls].sort((a, b) => b[1] - a[1]).slice(0, 8)) console.log(`${name}: ${count}`);
