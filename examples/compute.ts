/**
 * A compute shader counts how many steps each number takes to reach 1 (halve
 * an even number; triple an odd number and add 1).
 *
 * ```sh
 * deno run --allow-ffi --allow-read '--allow-env=HOME,XDG_*,VK_*' examples/compute.ts
 * ```
 *
 * It prints the number below 100,000 that takes the most steps, 77031 with
 * 350, and how long the device worked.
 *
 * @module
 */
import { openGpu } from "@pumice/gfx";
import { translate } from "naga-wasm";

const COUNT = 100_000, GROUP = 64;
const source = `
  @group(0) @binding(0) var<storage, read_write> steps: array<u32>;
  @compute @workgroup_size(${GROUP}) fn count(@builtin(global_invocation_id) id: vec3u) {
    if (id.x == 0u || id.x >= arrayLength(&steps)) { return; }
    var number = id.x;
    var taken = 0u;
    while (number != 1u) {
      number = select(number / 2u, 3u * number + 1u, number % 2u == 1u);
      taken += 1u;
    }
    steps[id.x] = taken;
  }`;
const shader = translate({ from: "wgsl", to: "spirv", source });

using gpu = openGpu();
const steps = gpu.buffer(4 * COUNT);
gpu.compute({ shader, bindings: [steps], groups: Math.ceil(COUNT / GROUP) });

let best = 1;
for (let number = 2; number < COUNT; number++) if (steps.words[number] > steps.words[best]) best = number;
console.log(`${best} takes ${steps.words[best]} steps, the most below ${COUNT}`);
console.log(`${gpu.properties.deviceName} worked ${gpu.deviceTime()?.toFixed(1) ?? "an unknown number of"} ms`);
