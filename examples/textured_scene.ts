/**
 * A scene with a texture, a sampler and a depth image, in two draws.
 *
 * ```sh
 * deno run --allow-ffi --allow-read --allow-write=out '--allow-env=HOME,XDG_*,VK_*' examples/textured_scene.ts
 * ```
 *
 * out/textured_scene.png shows a tower of nine stone blocks, each turned a
 * little further than the block below it, on a tiled floor.
 *
 * @module
 */
import { encodePng, openGpu } from "@pumice/gfx";
import { VK_FORMAT_D16_UNORM } from "@pumice/gfx/vk";
import { translate } from "naga-wasm";

const SIZE = { width: 800, height: 600 }, TEXELS = 64, BLOCKS = 9, VERTICES_OF_A_BLOCK = 36, VERTICES_OF_THE_FLOOR = 6;
const source = `
  struct Corner {
    @builtin(position) position: vec4f, @location(0) normal: vec3f, @location(1) texel: vec2f, @location(2) tint: vec3f
  }
  @group(0) @binding(0) var<uniform> eye: vec4f; // the position, and the picture's width by its height
  @group(0) @binding(1) var stone: texture_2d<f32>;
  @group(0) @binding(2) var repeated: sampler;

  fn seen(point: vec3f) -> vec4f {
    let back = normalize(eye.xyz - vec3f(0, 1.5, 0));
    let right = normalize(cross(vec3f(0, 1, 0), back));
    let way = point - eye.xyz;
    let at = vec3f(dot(way, right), dot(way, cross(back, right)), -dot(way, back));
    let near = 0.5;
    let far = 40.0;
    return vec4f(1.8 * at.x / eye.w, 1.8 * at.y, far * (at.z - near) / (far - near), at.z);
  }
  fn square(index: u32) -> vec2f {
    var corners = array(vec2f(-1, -1), vec2f(1, -1), vec2f(1, 1), vec2f(-1, -1), vec2f(1, 1), vec2f(-1, 1));
    return corners[index % 6];
  }
  @vertex fn block(@builtin(vertex_index) index: u32, @builtin(instance_index) number: u32) -> Corner {
    let side = index / 6;
    let at = square(index);
    let sign = f32(side % 2) * 2 - 1;
    var point = vec3f(at, sign);
    var normal = vec3f(0, 0, sign);
    for (var turn = 0u; turn < side / 2; turn++) { point = point.yzx; normal = normal.yzx; }
    let level = f32(number);
    let angle = 0.35 * level;
    let turned = mat3x3f(vec3f(cos(angle), 0, sin(angle)), vec3f(0, 1, 0), vec3f(-sin(angle), 0, cos(angle)));
    let place = turned * (point * vec3f(0.8 - 0.05 * level, 0.2, 0.8 - 0.05 * level)) + vec3f(0, 0.2 + 0.4 * level, 0);
    return Corner(seen(place), turned * normal, at * vec2f(1, 0.5), mix(vec3f(1, 0.75, 0.5), vec3f(0.6, 0.8, 1), level / 8));
  }
  @vertex fn plain(@builtin(vertex_index) index: u32) -> Corner {
    let at = 12 * square(index);
    return Corner(seen(vec3f(at.x, 0, at.y)), vec3f(0, 1, 0), at, vec3f(0.8));
  }
  @fragment fn shade(corner: Corner) -> @location(0) vec4f {
    let light = 0.3 + 0.7 * max(dot(normalize(corner.normal), normalize(vec3f(0.6, 0.8, 0.4))), 0);
    return vec4f(textureSample(stone, repeated, corner.texel).rgb * corner.tint * light, 1);
  }`;
const code = translate({ from: "wgsl", to: "spirv", source });

using gpu = openGpu();
const target = gpu.image(SIZE), depth = gpu.image({ ...SIZE, format: VK_FORMAT_D16_UNORM });
const bindings = [
  gpu.buffer(new Float32Array([3.2, 3.6, 4.6, SIZE.width / SIZE.height])),
  gpu.image({ width: TEXELS, height: TEXELS, contents: stone() }),
  gpu.sampler({ repeat: true }),
];
const shared = { target, depth, bindings, fragment: code };
gpu.draw({
  ...shared,
  vertex: { code, entryPoint: "plain" },
  vertices: VERTICES_OF_THE_FLOOR,
  clear: [0.55, 0.7, 0.85, 1],
});
gpu.draw({
  ...shared,
  vertex: { code, entryPoint: "block" },
  vertices: VERTICES_OF_A_BLOCK,
  instances: BLOCKS,
  clear: null, // keep the floor, and its depth
});
Deno.mkdirSync("out", { recursive: true });
Deno.writeFileSync("out/textured_scene.png", encodePng(gpu.pixels(target)));
console.log(`out/textured_scene.png was drawn by ${gpu.properties.deviceName}`);

/** Grey specks, the same each time, with a dark seam along two edges. */
function stone(): Uint8Array {
  const texels = new Uint8Array(4 * TEXELS * TEXELS);
  let random = 1;
  for (let index = 0; index < TEXELS * TEXELS; index++) {
    random = Math.imul(random, 1664525) + 1013904223;
    const isSeam = index % TEXELS < 2 || index < 2 * TEXELS;
    const grey = isSeam ? 70 : 170 + (random >>> 26);
    texels.set([grey, grey, grey, 255], 4 * index);
  }
  return texels;
}
