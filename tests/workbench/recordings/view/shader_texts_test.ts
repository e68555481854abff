import { assert, assertEquals, assertRejects, assertStringIncludes } from "@std/assert";
import { translate } from "naga-wasm";
import { onPath } from "../../../../tools/setup/files.ts";
import { shaderText } from "../../../../workbench/recordings/view/shader_texts.ts";
import {
  VK_SHADER_STAGE_COMPUTE_BIT,
  VK_SHADER_STAGE_FRAGMENT_BIT,
  VK_SHADER_STAGE_GEOMETRY_BIT,
} from "../../../../loader/vk.ts";
import { needs } from "../../../support/require.ts";

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
