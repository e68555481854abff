/**
 * Two drivers in one process: what the one can do and the other cannot, and how
 * far their pictures differ.
 *
 * ```sh
 * deno run --allow-ffi --allow-read --allow-write=out '--allow-env=HOME,XDG_*,VK_*' examples/driver_diff.ts
 * ```
 *
 * It takes the first and the last device that is found, prints the features
 * and limits that differ and how many extensions only one of them has, and
 * draws the same circle with both. out/driver_diff.png shows both pictures, and
 * at the right in white each pixel that differs.
 *
 * @module
 */
import { encodePng, type Gpu, loadVulkan, openGpu, type Picture, requireDriver } from "@pumice/gfx";
import { vkjson, vkjsonDifferences } from "@pumice/gfx/vkjson";
import { translate } from "naga-wasm";

const SIDE = 256;
const source = `
  @vertex fn corner(@builtin(vertex_index) index: u32) -> @builtin(position) vec4f {
    let angle = f32(index / 3 + index % 3) * 0.7854; // eight triangles, each with its tip in the middle
    return vec4f(select(vec2f(sin(angle), cos(angle)), vec2f(0), index % 3 == 2) * 0.9, 0, 1);
  }
  @fragment fn shade(@builtin(position) at: vec4f) -> @location(0) vec4f {
    return vec4f(0.5 + 0.5 * sin(at.xy * 0.11), pow(at.x / ${SIDE}, 2.2), 1);
  }`;
const shaders = translate({ from: "wgsl", to: "spirv", source });

using vulkan = requireDriver(loadVulkan());
const { devices } = vkjson(vulkan), last = devices.length - 1;
if (last === 0) console.log("There is one device: name drivers with VK_DRIVER_FILES=one.json:another.json");
using first = openGpu({ vulkan, device: 0 });
using second = openGpu({ vulkan, device: last });
console.log(`1: ${first.properties.deviceName}\n2: ${second.properties.deviceName}\n`);

const differences = vkjsonDifferences(devices[0], devices[last]);
for (const { path, one, other } of differences) {
  if (/^(features|properties\.limits)\./.test(path)) console.log(`${path}: ${one}, ${other}`);
}
const extensions = differences.filter(({ path }) => /^extensions\[\w+\]$/.test(path));
const [ofFirst, ofSecond] = [extensions.filter(({ other }) => !other), extensions.filter(({ one }) => !one)];
console.log(`extensions: ${ofFirst.length} only in 1, ${ofSecond.length} only in 2`);

const pictures = [draw(first), draw(second)], { data, differing } = sideBySide(pictures[0].data, pictures[1].data);
Deno.mkdirSync("out", { recursive: true });
Deno.writeFileSync("out/driver_diff.png", encodePng({ width: 3 * SIDE, height: SIDE, data }));
console.log(`out/driver_diff.png: ${differing} of ${SIDE * SIDE} pixels differ`);

function draw(gpu: Gpu): Picture<Uint8Array> {
  const target = gpu.image({ width: SIDE, height: SIDE });
  gpu.draw({ target, vertex: shaders, fragment: shaders, vertices: 24, clear: [0, 0, 0, 1] });
  return gpu.pixels(target);
}

/** One picture, the other, and their difference. */
function sideBySide(one: Uint8Array, other: Uint8Array) {
  const white = 0xffffffff, black = 0xff000000, data = new Uint8Array(3 * one.length);
  const [left, right, all] = [one, other, data].map(({ buffer, byteOffset, length }) =>
    new Uint32Array(buffer, byteOffset, length >> 2)
  );
  let differing = 0;
  for (let index = 0; index < left.length; index++) {
    const at = 3 * SIDE * Math.floor(index / SIDE) + index % SIDE, differs = left[index] !== right[index];
    all.set([left[index]], at);
    all.set([right[index]], at + SIDE);
    all.set([differs ? white : black], at + 2 * SIDE);
    if (differs) differing++;
  }
  return { data, differing };
}
