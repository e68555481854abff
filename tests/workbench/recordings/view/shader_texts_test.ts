import { assert, assertEquals, assertRejects, assertStringIncludes } from "@std/assert";
import { translate } from "naga-wasm";
import { onPath } from "../../../../tools/setup/files.ts";
import { lavapipePath, shaderTools } from "../../../../tools/setup/parts.ts";
import { openRecording } from "../../../../workbench/recordings/view/open_recording.ts";
import { reflectionOf } from "../../../../workbench/recordings/view/reflection.ts";
import { shaderText } from "../../../../workbench/recordings/view/shader_texts.ts";
import {
  VK_SHADER_STAGE_COMPUTE_BIT,
  VK_SHADER_STAGE_FRAGMENT_BIT,
  VK_SHADER_STAGE_GEOMETRY_BIT,
} from "../../../../loader/vk.ts";
import { compileShader } from "../../../support/compile_shader.ts";
import { needs } from "../../../support/require.ts";
import { withFolderAsync } from "../../../support/temporary.ts";
import { recordDemo } from "../replay/recorded.ts";

const SOURCE = `#version 450
layout(local_size_x = 8) in;
layout(set = 1, binding = 2, std430) buffer Data { uint values[]; } data;
void main() { data.values[gl_GlobalInvocationID.x] *= 41u; }`;
const spirv = (source: string): Uint32Array =>
  translate({ from: "glsl", to: "spirv", source, parse: { stage: "compute" } });
const bytesOf = (words: Uint32Array) => new Uint8Array(words.buffer.slice(0) as ArrayBuffer);
const COMPUTE = { words: bytesOf(spirv(SOURCE)), stage: VK_SHADER_STAGE_COMPUTE_BIT, entry: "main" };

Deno.test("shaderText() has a shader in WGSL whose words are those of the shader again", async () => {
  const text = await shaderText(COMPUTE, "wgsl");
  for (const part of ["@compute @workgroup_size(8, 1, 1)", "@group(1) @binding(2)", "41u"]) {
    assertStringIncludes(text, part);
  }
  const again = translate({ from: "wgsl", to: "spirv", source: text });
  assert(again.length > 50);
});

Deno.test(
  "shaderText() has a shader in GLSL, which compiles to a shader that does the same",
  needs("spirv-cross", onPath("spirv-cross")),
  async () => {
    const text = await shaderText(COMPUTE, "glsl");
    for (const part of ["local_size_x = 8", "set = 1, binding = 2", "41u"]) assertStringIncludes(text, part);
    const { length } = spirv(text);
    assert(Math.abs(length - COMPUTE.words.length / 4) < 60, `${length} words`);
  },
);

/** Images that are combined with samplers, also as parameters of functions, and a buffer that is only written. */
const COMBINED = `#version 450
layout(local_size_x = 8) in;
layout(set = 0, binding = 1) uniform sampler2D one;
layout(set = 0, binding = 3) uniform sampler2D other;
layout(set = 0, binding = 2, std430) writeonly buffer Data { vec4 values[]; } data;
vec4 twice(sampler2D from, vec2 at) { return textureLod(from, at, 0.0) * 2.0 + vec4(textureSize(from, 0), 0.0, 1.0); }
vec4 both(vec2 at, sampler2D first, sampler2D second) { return twice(first, at) - twice(second, at.yx); }
void main() {
  vec2 at = vec2(gl_GlobalInvocationID.xy) / 8.0;
  data.values[gl_GlobalInvocationID.x] = both(at, other, one) + textureLod(one, at, 1.0);
}`;

Deno.test(
  "shaderText() has a shader whose images are combined with samplers in WGSL, as images and samplers",
  needs("a shader compiler", shaderTools()),
  async () => {
    for (const target of ["vulkan1.0", "vulkan1.2"]) {
      const text = await shaderText({ ...COMPUTE, words: bytesOf(compileShader(COMBINED, target)) }, "wgsl");
      for (
        const part of [
          "stands for the sampler that binding 1 has with its image.",
          "stands for the sampler that binding 3 has with its image.",
          "one_sampler: sampler",
          "other_sampler: sampler",
          "// Members that the shader declares as writeonly",
          ": texture_2d<f32>",
          ": sampler",
          "textureSampleLevel(",
        ]
      ) assertStringIncludes(text, part);
      assertEquals(text.match(/@group\(0\) @binding\([1345]\)/g)?.length, 4);
      // The text is whole: it compiles to a shader with the same four resources.
      const again = reflectionOf(bytesOf(translate({ from: "wgsl", to: "spirv", source: text })));
      assertEquals(again.descriptors.map(({ binding }) => binding), [1, 2, 3, 4, 5]);
    }
  },
);

Deno.test("every shader of the demo can be told as WGSL and as GLSL", {
  ...needs("Mesa lavapipe", lavapipePath()),
  sanitizeOps: false,
  sanitizeResources: false,
}, async () => {
  await withFolderAsync(async (folder) => {
    const path = `${folder}/demo.jsonl`, texts = new Map<unknown, string>();
    recordDemo(path, lavapipePath()!);
    await using recording = openRecording(path);
    for (const { id } of recording.events.filter(({ kind }) => kind === "draw" || kind === "dispatch")) {
      for (const { stage, code } of recording.state(id).shaders) {
        const key = JSON.stringify(code);
        if (texts.has(key)) continue;
        texts.set(key, await recording.shaderText(id, stage, "wgsl"));
        assertStringIncludes(await recording.shaderText(id, stage, "glsl"), "void main()");
      }
    }
    assertEquals(texts.size, 8);
    for (const text of texts.values()) translate({ from: "wgsl", to: "spirv", source: text });
  });
});

Deno.test("shaderText() says why a shader cannot be translated, and takes no hostile one for a text", async () => {
  const broken = COMPUTE.words.slice();
  broken.fill(0xff, 20);
  const hostile = [
    broken,
    COMPUTE.words.slice(0, 20),
    new Uint8Array(0),
    COMPUTE.words.slice(0, COMPUTE.words.length / 2 + 2),
  ];
  for (const words of hostile) {
    for (const language of ["glsl", "wgsl"] as const) {
      const error = await assertRejects(
        () => shaderText({ ...COMPUTE, words }, language),
        TypeError,
        "",
        `${words.length} ${language}`,
      );
      assertStringIncludes(error.message, `cannot be told as ${language.toUpperCase()}: `);
      assert(!error.message.includes("\n"), error.message);
    }
  }
  const wrong = { ...COMPUTE, stage: VK_SHADER_STAGE_GEOMETRY_BIT, entry: "--help" };
  await assertRejects(() => shaderText(wrong, "glsl"), TypeError, "cannot be told as GLSL");
  const large = { words: new Uint8Array(2 ** 22 + 4), stage: VK_SHADER_STAGE_FRAGMENT_BIT, entry: "main" };
  await assertRejects(() => shaderText(large, "glsl"), TypeError, "too many to translate");
  assertEquals((await shaderText(COMPUTE, "wgsl")).length > 0, true); // a shader that fails does not harm the next one
});
