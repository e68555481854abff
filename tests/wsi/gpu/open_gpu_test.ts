import { assert, assertEquals, assertThrows } from "@std/assert";
import { translate } from "naga-wasm";
import { type GpuRequirements, loadVulkan, WsiError } from "../../../mod.ts";
import { createDebugMessenger } from "../../../loader/mod.ts";
import * as vk from "../../../loader/vk.ts";
import { makeTools } from "../../../wsi/gpu/gpu.ts";
import { openBench } from "../../../wsi/gpu/bench.ts";
import { openDevice } from "../../../wsi/gpu/device.ts";
import { openGpu } from "../../../wsi/gpu/open_gpu.ts";
import { lavapipePath, swiftshaderPath, validationManifest } from "../../../tools/setup/parts.ts";
import { needs } from "../../support/require.ts";
import { leavesNothing } from "../leaves_nothing.ts";

const COMPUTING = translate({
  from: "wgsl",
  to: "spirv",
  source: `
@group(0) @binding(0) var<storage, read_write> numbers: array<u32>;
@group(0) @binding(1) var<uniform> factor: vec4u;
@group(0) @binding(2) var picture: texture_2d<f32>;
@group(0) @binding(3) var written: texture_storage_2d<rgba8unorm, write>;
@compute @workgroup_size(4) fn scale(@builtin(global_invocation_id) id: vec3u) {
  numbers[id.x] *= factor.x;
  textureStore(written, vec2u(id.x, 0), textureLoad(picture, vec2u(id.x, 0), 0).bgra);
}`,
});
const DRAWING = translate({
  from: "wgsl",
  to: "spirv",
  source: `
struct Vertex { @builtin(position) position: vec4f, @location(0) at: vec2f }
@group(0) @binding(0) var<storage> depths: array<f32>;
@group(0) @binding(1) var picture: texture_2d<f32>;
@group(0) @binding(2) var how: sampler;
@vertex fn corner(@builtin(vertex_index) index: u32, @builtin(instance_index) instance: u32) -> Vertex {
  let at = vec2f(f32(index & 1), f32(index >> 1)) * 2;
  return Vertex(vec4f(at.x * 2 - 1, 1 - at.y * 2, depths[instance], 1), at);
}
@fragment fn shade(vertex: Vertex) -> @location(0) vec4f { return textureSample(picture, how, vertex.at); }
@fragment fn main(vertex: Vertex) -> @location(0) vec4f { return vec4f(0, 1, 0, 1); }`,
});
/** Two pixels: red, blue. */
const TWO_PIXELS = new Uint8Array([255, 0, 0, 255, 0, 0, 255, 255]);

for (
  const [name, driver] of [["Mesa lavapipe", lavapipePath()], ["SwiftShader and ANGLE", swiftshaderPath()]] as const
) {
  const NEEDS = needs(`${name}, Khronos validation layer`, driver && validationManifest());

  Deno.test(`the functions of openGpu() do what they say on ${name}, and validation has nothing to say`, NEEDS, () => {
    const said: string[] = [];
    using vulkan = loadVulkan({ driver, layers: ["VK_LAYER_KHRONOS_validation"] });
    const opened = openDevice(vulkan, { instanceExtensions: ["VK_EXT_debug_utils"] });
    {
      using _messenger = createDebugMessenger(opened.instance, ({ message }) => void said.push(message));
      const bench = openBench({ ...opened, instance: { ...opened.instance, [Symbol.dispose]() {} } as never });
      const tools = makeTools(bench);
      computes(tools);
      draws(tools);
      bench.owned.dispose();
    }
    opened.instance.close();
    assertEquals(said, []);
  });
}

Deno.test("openGpu() takes a version that the driver takes", needs("SwiftShader and ANGLE", swiftshaderPath()), () => {
  // behind one loader of several, which has the newest version, SwiftShader refuses instances of Vulkan 1.4
  using gpu = openGpu({ driver: [swiftshaderPath()!] });
  assertEquals(gpu.properties.deviceName.includes("SwiftShader"), true);
});

type Tools = ReturnType<typeof makeTools>;

function computes({ buffer, image, compute, pixels }: Tools): void {
  const numbers = buffer(new Uint32Array([1, 2, 3, 4])), factor = buffer(new Uint32Array([3, 0, 0, 0]));
  const picture = image({ width: 4, height: 1, contents: new Uint8Array(16).fill(255).map((_, at) => at) });
  const usage = vk.VK_IMAGE_USAGE_STORAGE_BIT | vk.VK_IMAGE_USAGE_TRANSFER_SRC_BIT;
  const written = image({ width: 4, height: 1, usage });
  compute({ shader: COMPUTING, bindings: [numbers, factor, picture, written] });
  assertEquals([...numbers.words], [3, 6, 9, 12]);
  assertEquals([...pixels(written).data.subarray(4, 8)], [6, 5, 4, 7]);
}

function draws({ buffer, image, sampler, draw, pixels }: Tools): void {
  const target = image({ width: 4, height: 2 }),
    depth = image({ width: 4, height: 2, format: vk.VK_FORMAT_D32_SFLOAT });
  const depths = buffer(new Float32Array([0.5, 0.75])), picture = image({ width: 2, height: 1, contents: TWO_PIXELS });
  const shaders = { vertex: DRAWING, fragment: DRAWING };
  const fragment = { code: DRAWING, entryPoint: "shade" }, nearest = sampler({ filter: "nearest" });
  draw({ target, depth, ...shaders, fragment, bindings: [depths, [picture, nearest], nearest] });
  const row = (y: number) =>
    [0, 1, 2, 3].map((x) => [...pixels(target).data.subarray(16 * y + 4 * x, 16 * y + 4 * x + 3)]);
  assertEquals(row(0), [[255, 0, 0], [255, 0, 0], [0, 0, 255], [0, 0, 255]]);
  // farther away: nothing of the green one is seen
  draw({ target, depth, ...shaders, bindings: [buffer(new Float32Array([0.75])), picture], clear: null });
  assertEquals(row(1)[0], [255, 0, 0]);
  draw({ target, depth, ...shaders, bindings: [buffer(new Float32Array([0.25])), picture], clear: null });
  assertEquals(row(1)[0], [0, 255, 0]);
  // the sampler that nobody gave is linear: the pixels are mixed in the middle
  draw({ target, vertex: DRAWING, fragment, bindings: [depths, picture] });
  assert(row(0)[1][0] < 255 && row(0)[1][2] > 0, `${row(0)}`);
}

Deno.test(
  "openGpu() leaves nothing behind, however it ends",
  needs("Mesa lavapipe", lavapipePath()),
  () =>
    leavesNothing(() => {
      const driver = lavapipePath()!;
      {
        using gpu = openGpu({ driver });
        const numbers = gpu.buffer(new Uint32Array([1, 2, 3, 4])), factor = gpu.buffer(16);
        const picture = gpu.image({ width: 4, height: 1 });
        const usage = vk.VK_IMAGE_USAGE_STORAGE_BIT;
        gpu.compute({
          shader: COMPUTING,
          bindings: [numbers, factor, picture, gpu.image({ width: 4, height: 1, usage })],
        });
        assert(gpu.deviceTime()! > 0);
        gpu.close();
      }
      assertThrows(() => openGpu({ driver, extensions: ["VK_EXT_nobody"] }), WsiError);
      using vulkan = loadVulkan({ driver });
      openGpu({ vulkan }).close();
      assertEquals(vulkan.vkCreateInstance({}).vkEnumeratePhysicalDevices().length, 1);
    }),
);

Deno.test(
  "openGpu() says what a device lacks, and what to do",
  needs("SwiftShader and ANGLE", swiftshaderPath()),
  () => {
    const driver = swiftshaderPath()!;
    const rows: [GpuRequirements, string][] = [
      [{ extensions: ["VK_EXT_transform_feedback"] }, "lacks VK_EXT_transform_feedback"],
      [{ features: { geometryShader: true } }, "lacks the feature geometryShader"],
      [{ device: 3 }, "has 1 devices only"],
    ];
    for (const [wanted, words] of rows) {
      const { code, message } = assertThrows(() => openGpu({ driver, ...wanted }), WsiError);
      assertEquals([code, message.includes(words), message.includes("name another driver")], [
        "unsupported",
        true,
        true,
      ]);
    }
  },
);

Deno.test(
  "openGpu() and its functions refuse invalid arguments",
  needs("Mesa lavapipe", lavapipePath()),
  () => {
    const driver = lavapipePath()!;
    using vulkan = loadVulkan({ driver });
    using gpu = openGpu({ vulkan });
    const buffer = gpu.buffer(16), target = gpu.image({ width: 4, height: 4 });
    const shaders = { vertex: DRAWING, fragment: DRAWING };
    for (
      const [run, message] of [
        [() => openGpu({ drivers: driver } as object), "drivers"],
        [() => openGpu({ vulkan, driver }), "openGpu() takes either vulkan, or driver, layers and log"],
        [
          () => gpu.compute({ shader: COMPUTING }),
          'shader "scale": it uses binding 0 of set 0, a storage buffer, and index 0 of bindings has nothing',
        ],
        [() => gpu.compute({ shader: COMPUTING, bindings: [target] }), "index 0 of bindings has an image"],
        [
          () => gpu.compute({ shader: COMPUTING, bindings: [buffer, buffer, buffer] }),
          "binding 2 of set 0, a sampled image, and index 2 of bindings has a buffer",
        ],
        [
          () => gpu.compute({ shader: COMPUTING, bindings: [7 as never] }),
          "what buffer(), image() or sampler() returns",
        ],
        [() => gpu.compute({ shader: "main" as never }), "words of SPIR-V in a Uint32Array"],
        [() => gpu.compute({ shader: DRAWING }), "it has no entry point of that stage"],
        [() => gpu.compute({ shader: COMPUTING, buffers: [buffer] } as never), "buffers"],
        [() => gpu.draw({ target, ...shaders }), 'the vertex shader "corner": it uses binding 0'],
        [() => gpu.image({ width: 4, height: 1, contents: [1] as never }), "a typed array"],
        [() => gpu.sampler({ filter: "cubic" as never }), '"linear" or "nearest"'],
      ] as const
    ) assertThrows(run, TypeError, message);
  },
);
