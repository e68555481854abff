/**
 * A triangle, with shaders in WGSL that are compiled in the script.
 *
 * ```sh
 * deno run --allow-ffi --allow-read --allow-write=out '--allow-env=HOME,XDG_*,VK_*' examples/triangle.ts
 * ```
 *
 * out/triangle.png shows a triangle with a red, a green and a blue corner, the
 * red one at the top.
 *
 * @module
 */
import { encodePng, openGpu } from "@pumice/gfx";
import { translate } from "naga-wasm";

const source = `
  struct Corner { @builtin(position) position: vec4f, @location(0) color: vec3f }
  @vertex fn corner(@builtin(vertex_index) index: u32) -> Corner {
    let angle = f32(index) * 2.0944;
    let color = vec3f(f32(index == 0), f32(index == 1), f32(index == 2));
    return Corner(vec4f(0.8 * sin(angle), 0.8 * cos(angle), 0, 1), color);
  }
  @fragment fn shade(corner: Corner) -> @location(0) vec4f { return vec4f(corner.color, 1); }`;
const shaders = translate({ from: "wgsl", to: "spirv", source });

using gpu = openGpu();
const target = gpu.image({ width: 640, height: 480 });
gpu.draw({ target, vertex: shaders, fragment: shaders, clear: [0.05, 0.05, 0.1, 1] });
Deno.mkdirSync("out", { recursive: true });
Deno.writeFileSync("out/triangle.png", encodePng(gpu.pixels(target)));
console.log(`out/triangle.png was drawn by ${gpu.properties.deviceName}`);
