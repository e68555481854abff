import { assertEquals, assertThrows } from "@std/assert";
import { translate } from "naga-wasm";
import * as vk from "../../../loader/vk.ts";
import { reflect } from "../../../wsi/gpu/spirv.ts";
import { squaresComp, triangleFrag, triangleVert } from "../../../examples/driver/shaders_gen.ts";

const SOURCE = `
@group(0) @binding(0) var<storage, read_write> numbers: array<u32>;
@group(0) @binding(1) var picture: texture_2d<f32>;
@group(0) @binding(2) var smooth_one: sampler;
@group(0) @binding(3) var<uniform> factor: vec4f;
@group(0) @binding(4) var written: texture_storage_2d<rgba8unorm, write>;
@group(1) @binding(5) var<storage> far: array<u32>;

fn scale(value: u32) -> u32 { return value * u32(factor.x); }

@compute @workgroup_size(1) fn first(@builtin(global_invocation_id) id: vec3u) { numbers[id.x] = scale(numbers[id.x]); }
@compute @workgroup_size(1) fn main() { textureStore(written, vec2i(0), vec4f(f32(far[0]))); }
@vertex fn corner() -> @builtin(position) vec4f { return vec4f(0); }
@fragment fn shade() -> @location(0) vec4f { return textureSample(picture, smooth_one, vec2f(0)); }
`;
const words = translate({ from: "wgsl", to: "spirv", source: SOURCE });

Deno.test("reflect() finds the bindings that an entry point uses, also in functions that it calls", () => {
  const of = (...how: Parameters<typeof reflect> extends [unknown, ...infer Rest] ? Rest : never) => {
    const { entryPoint, bindings } = reflect(words, ...how);
    return [entryPoint, ...bindings.map(({ set, binding, type, count }) => [set, binding, type, count])];
  };
  assertEquals(of("compute", "first"), [
    "first",
    [0, 0, vk.VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, 1],
    [0, 3, vk.VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER, 1],
  ]);
  assertEquals(of("compute"), [
    "main",
    [0, 4, vk.VK_DESCRIPTOR_TYPE_STORAGE_IMAGE, 1],
    [1, 5, vk.VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, 1],
  ]);
  assertEquals(of("vertex"), ["corner"]);
  assertEquals(of("fragment"), [
    "shade",
    [0, 1, vk.VK_DESCRIPTOR_TYPE_SAMPLED_IMAGE, 1],
    [0, 2, vk.VK_DESCRIPTOR_TYPE_SAMPLER, 1],
  ]);
});

Deno.test("reflect() reads what another compiler wrote", () => {
  const [buffer] = reflect(squaresComp(), "compute").bindings;
  assertEquals(buffer, { set: 0, binding: 0, type: vk.VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, count: 1 });
  assertEquals(reflect(triangleVert(), "vertex"), { entryPoint: "main", bindings: [] });
});

Deno.test("reflect() reports invalid words and names", () => {
  for (
    const [run, message] of [
      [() => reflect(new Uint32Array(), "vertex"), "SPIR-V starts with the word 0x7230203, and no words"],
      [() => reflect(new Uint32Array([1, 2]), "vertex"), "the first word is 0x1"],
      [() => reflect(words.subarray(0, 40), "compute"), "cut off or damaged"],
      [() => reflect(triangleFrag(), "vertex"), "no entry point of that stage (found: none)"],
      [() => reflect(words, "compute", "second"), 'named "second" (found: "first", "main")'],
    ] as const
  ) assertThrows(run, TypeError, message);
});

Deno.test("reflect() ends on words that are damaged anywhere", () => {
  for (let at = 5; at < words.length; at++) {
    for (const value of [0, 0xffffffff, words[at] ^ 1, at]) {
      const damaged = words.slice();
      damaged[at] = value;
      try {
        reflect(damaged, "fragment");
      } catch (error) {
        if (!(error instanceof TypeError)) throw error;
      }
    }
  }
});
