import { assertEquals, assertThrows } from "@std/assert";
import { translate } from "naga-wasm";

type Stage = "vertex" | "fragment" | "compute";
const COLOR = "layout(location = 0) out vec4 color;", GROUP = "layout(local_size_x = 64) in;";
const NUMBERS = "layout(set = 0, binding = 0) buffer Numbers { uint numbers[]; }";

function compile(stage: Stage, source: string, version = "450"): Uint32Array {
  return translate({ from: "glsl", to: "spirv", source: `#version ${version}\n${source}`, parse: { stage } });
}

/** The constructs of the page about shaders that the compiler from npm reads. */
const READ: [what: string, stage: Stage, source: string][] = [
  [
    "uniform buffers",
    "vertex",
    "layout(set = 0, binding = 0) uniform U { mat4 m; } u; void main() { gl_Position = u.m[0]; }",
  ],
  ["storage buffers", "compute", `${GROUP}${NUMBERS}; void main() { numbers[gl_GlobalInvocationID.x] *= 2u; }`],
  [
    "separate textures and samplers",
    "fragment",
    `${COLOR} layout(set = 0, binding = 0) uniform texture2D t; layout(set = 0, binding = 1) uniform sampler s;
     void main() { color = texture(sampler2D(t, s), vec2(0.5)); }`,
  ],
  [
    "storage images",
    "compute",
    `${GROUP} layout(set = 0, binding = 0, rgba8) uniform writeonly image2D picture;
     void main() { imageStore(picture, ivec2(gl_GlobalInvocationID.xy), vec4(1)); }`,
  ],
  [
    "push constants",
    "fragment",
    `${COLOR} layout(push_constant) uniform P { vec4 c; } p; void main() { color = p.c; }`,
  ],
  [
    "shared memory",
    "compute",
    `${GROUP}${NUMBERS}; shared uint all[64];
     void main() {
       all[gl_LocalInvocationID.x] = numbers[gl_GlobalInvocationID.x];
       barrier();
       numbers[gl_GlobalInvocationID.x] = all[63u - gl_LocalInvocationID.x];
     }`,
  ],
  [
    "functions, loops, arrays and macros",
    "fragment",
    `#define STEPS 4\n${COLOR} const float PARTS[2] = float[](0.25, 0.5);
     float twice(float a, out float b) { b = a * 2.0; return a; }
     void main() {
       float sum = 0.0, b;
       for (int i = 0; i < STEPS; i++) sum += twice(PARTS[i & 1], b);
       color = vec4(sum, b, 0.0, 1.0);
     }`,
  ],
];

/** The constructs that the compiler does not read, by the page, with the version of GLSL if it is not 450. */
const REFUSED: [what: string, stage: Stage, source: string, version?: string][] = [
  [
    "sampler2D",
    "fragment",
    `${COLOR} layout(set = 0, binding = 0) uniform sampler2D t; void main() { color = texture(t, vec2(0)); }`,
  ],
  ["length()", "compute", `${GROUP}${NUMBERS} b; void main() { if (0u < b.numbers.length()) b.numbers[0] = 1u; }`],
  ["constant_id", "fragment", `layout(constant_id = 0) const float K = 0.5; ${COLOR} void main() { color = vec4(K); }`],
  ["atomicAdd", "compute", `${GROUP}${NUMBERS}; void main() { atomicAdd(numbers[0], 1u); }`],
  ["#include", "fragment", `#include "a.glsl"\n${COLOR} void main() { color = vec4(1); }`],
  ["GLSL ES", "fragment", `precision highp float; ${COLOR} void main() { color = vec4(1); }`, "310 es"],
  ["330", "fragment", `${COLOR} void main() { color = vec4(1); }`, "330"],
  [
    "doubles",
    "compute",
    `${GROUP} layout(set = 0, binding = 0) buffer B { double n; } b; void main() { b.n *= 2.0lf; }`,
  ],
  ["subgroups", "compute", `${GROUP}${NUMBERS}; void main() { numbers[0] = gl_SubgroupInvocationID; }`],
  ["geometry shaders", "geometry" as Stage, "void main() {}"],
];

Deno.test("the compiler from npm reads the GLSL that the page about shaders says it reads", () => {
  const magic = 0x07230203;
  assertEquals(
    READ.map(([what, stage, source]) => [what, compile(stage, source)[0]]),
    READ.map(([what]) => [what, magic]),
  );
  for (const version of ["440", "450", "460"]) {
    compile("fragment", `${COLOR} void main() { color = vec4(1); }`, version);
  }
});

Deno.test("the compiler from npm refuses the GLSL that the page about shaders says it does not read", () => {
  for (const [what, stage, source, version] of REFUSED) {
    assertThrows(() => compile(stage, source, version), Error, "", what);
  }
});

Deno.test("macros that a script gives the compiler from npm stand for constants", () => {
  const source = `#version 450\n${COLOR} void main() { color = vec4(K); }`;
  const parse = { stage: "fragment", defines: { K: "0.5" } } as const;
  assertEquals(translate({ from: "glsl", to: "spirv", source, parse })[0], 0x07230203);
});
