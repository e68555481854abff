/**
 * Deno's own WebGPU squares numbers on a driver below a counting layer, drops
 * all it made and has garbage collected: `webgpu.ts DRIVER [NATIVE_LAYER]`,
 * with `--v8-flags=--expose-gc`.
 *
 * @module
 */
import { installCounted, report } from "./counted.ts";

const SHADER = `
  @group(0) @binding(0) var<storage, read_write> numbers: array<u32>;
  @compute @workgroup_size(64) fn main(@builtin(global_invocation_id) id: vec3u) {
    numbers[id.x] = numbers[id.x] * numbers[id.x];
  }`;
const COUNT = 256, SIZE = 4 * COUNT;

const [driver, ...below] = Deno.args;
const counted = installCounted(driver, below); // not closed: what WebGPU made lives as long as the process
const { gc: collect } = globalThis as unknown as { gc(): void };
const found: Record<string, unknown>[] = [];
for (let round = 0; round < 3; round++) {
  found.push(await useDevice());
  await new Promise((resolve) => setTimeout(resolve, 1));
  collect();
  collect();
}
report(counted, { adapters: found.map(({ adapter }) => adapter), right: found.every(({ right }) => right) });

/** Uses a device and leaves all of it to the collector, some of it half done. */
async function useDevice(): Promise<Record<string, unknown>> {
  const adapter = (await navigator.gpu.requestAdapter())!, device = await adapter.requestDevice();
  const result = await square(device, Uint32Array.from({ length: COUNT }, (_, index) => index));
  device.createBuffer({ size: 64, mappedAtCreation: true, usage: GPUBufferUsage.COPY_SRC });
  device.createCommandEncoder().beginComputePass();
  device.createTexture({ size: [4, 4], format: "rgba8unorm", usage: GPUTextureUsage.COPY_DST }).createView();
  return { adapter: adapter.info.description, right: result.every((value, index) => value === index * index) };
}

async function square(device: GPUDevice, numbers: Uint32Array<ArrayBuffer>): Promise<Uint32Array> {
  const { STORAGE, COPY_SRC, COPY_DST, MAP_READ } = GPUBufferUsage;
  const storage = device.createBuffer({ size: SIZE, usage: STORAGE | COPY_SRC | COPY_DST });
  const staging = device.createBuffer({ size: SIZE, usage: MAP_READ | COPY_DST });
  device.queue.writeBuffer(storage, 0, numbers);
  const module = device.createShaderModule({ code: SHADER });
  const pipeline = device.createComputePipeline({ layout: "auto", compute: { module, entryPoint: "main" } });
  const entries = [{ binding: 0, resource: { buffer: storage } }];
  const commands = device.createCommandEncoder(), pass = commands.beginComputePass();
  pass.setPipeline(pipeline);
  pass.setBindGroup(0, device.createBindGroup({ layout: pipeline.getBindGroupLayout(0), entries }));
  pass.dispatchWorkgroups(COUNT / 64);
  pass.end();
  commands.copyBufferToBuffer(storage, 0, staging, 0, SIZE);
  device.queue.submit([commands.finish()]);
  await staging.mapAsync(GPUMapMode.READ);
  const result = new Uint32Array(staging.getMappedRange().slice(0));
  staging.unmap();
  return result;
}
