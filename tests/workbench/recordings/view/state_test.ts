import { assert, assertEquals } from "@std/assert";
import { shaderTools } from "../../../../tools/setup/parts.ts";
import { type RecordedLine, writeRecording } from "../../../../workbench/layers.ts";
import { mayStore } from "../../../../workbench/recordings/compare/spirv.ts";
import { openRecording } from "../../../../workbench/recordings/view/open_recording.ts";
import { reflectionOf } from "../../../../workbench/recordings/view/reflection.ts";
import { VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER, VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER_DYNAMIC } from "../../../../loader/vk.ts";
import { compileShader } from "../../../support/compile_shader.ts";
import { needs } from "../../../support/require.ts";
import { withFolder } from "../../../support/temporary.ts";

const COMPILER = needs("a shader compiler", shaderTools());
const SHADER = `#version 450
layout(local_size_x = 1) in;
struct Light { vec3 color; float reach; };
layout(set = 1, binding = 2) uniform Scene { mat4 view; mat2x3 turn; Light lights[2]; uvec2 size; } scene;
layout(set = 0, binding = 3) buffer Results { float first; int rest[]; } results;
layout(set = 0, binding = 1) uniform sampler2D picture;
layout(push_constant) uniform Push { layout(offset = 16) vec4 tint; bvec2 flags; double exact; } push;
void main() { results.first = scene.turn[0].x + texture(picture, push.tint.xy).x; }`;
const READING = `#version 450
layout(local_size_x = 1) in;
layout(set = 0, binding = 0) readonly buffer Data { vec4 values[]; } data;
shared vec4 kept;
void main() { vec4 mine = data.values[0]; kept = mine; }`;

const bytesOf = (words: Uint32Array<ArrayBuffer>) => new Uint8Array(words.buffer);

Deno.test("a shader's reflection has the names, types and offsets of its source", COMPILER, () => {
  assertEquals(reflectionOf(bytesOf(compileShader(SHADER))), {
    inputs: [],
    outputs: [],
    descriptors: [
      { name: "picture", type: "sampled image", set: 0, binding: 1, members: [] },
      {
        name: "results",
        type: "Results",
        set: 0,
        binding: 3,
        members: [{ name: "first", type: "float", offset: 0 }, { name: "rest", type: "int[]", offset: 4 }],
      },
      {
        name: "scene",
        type: "Scene",
        set: 1,
        binding: 2,
        members: [
          { name: "view", type: "mat4", offset: 0 },
          { name: "turn", type: "mat2x3", offset: 64 },
          { name: "lights", type: "Light[2]", offset: 96 },
          { name: "size", type: "uvec2", offset: 128 },
        ],
      },
    ],
    pushConstants: [
      { name: "tint", type: "vec4", offset: 16 },
      { name: "flags", type: "uvec2", offset: 32 },
      { name: "exact", type: "double", offset: 40 },
    ],
  });
});

Deno.test("words that are no shader, or a struct that contains itself, reflect nothing and end", () => {
  const empty = { inputs: [], outputs: [], descriptors: [], pushConstants: [] };
  assertEquals(reflectionOf(new Uint8Array(3)), empty);
  assertEquals(reflectionOf(new Uint8Array(new Uint32Array(64).buffer)), empty);
  const struct = [30 | 40 << 16, 1, ...Array(38).fill(1)],
    pointer = [32 | 4 << 16, 2, 9, 1],
    variable = [59 | 4 << 16, 2, 3, 9];
  const words = new Uint32Array([0x07230203, 0x10000, 0, 10, 0, ...struct, ...pointer, ...variable]);
  assert(reflectionOf(bytesOf(words)).pushConstants.length <= 10_000);
});

Deno.test("a shader stores only if it writes what it does not own", COMPILER, () => {
  assertEquals(mayStore(bytesOf(compileShader(SHADER))), true);
  assertEquals(mayStore(bytesOf(compileShader(READING))), false);
  const atomic = READING.replace("readonly buffer Data { vec4", "buffer Data { int").replace("vec4 mine", "int mine")
    .replace("shared vec4", "shared int").replace("data.values[0]", "atomicAdd(data.values[0], 1)");
  assertEquals(mayStore(bytesOf(compileShader(atomic))), true);
});

Deno.test("state() knows destroyed shaders, the numbers of sets and dynamic offsets", COMPILER, () => {
  withFolder((folder) => {
    const path = `${folder}/recording.jsonl`, device = "VkDevice#1", commandBuffer = "VkCommandBuffer#1";
    const stage = { stage: 32, module: "VkShaderModule#1", pName: "main" };
    const made = (command: string, type: string, info: object, output = `p${type.slice(2)}`, number = 1) => ({
      command,
      args: { device, pCreateInfo: info },
      out: { [output]: `${type}#${number}` },
    });
    const write = (dstSet: string, dstBinding: number, descriptorType: number, buffer: string) => ({
      dstSet,
      dstBinding,
      dstArrayElement: 0,
      descriptorType,
      pBufferInfo: [{ buffer, offset: "0", range: "16" }],
    });
    const command = (command: string, args: object = {}) => ({ command, args: { commandBuffer, ...args } });
    const DYNAMIC = VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER_DYNAMIC;
    const lines = [
      ...[1, 2, 3].map((each) => made("vkCreateBuffer", "VkBuffer", { size: "1024", usage: 16 }, "pBuffer", each)),
      made("vkCreateShaderModule", "VkShaderModule", { pCode: compileShader(SHADER) }),
      {
        command: "vkCreateComputePipelines",
        args: { device, pCreateInfos: [{ stage, layout: "VkPipelineLayout#1" }] },
        out: { pPipelines: ["VkPipeline#1"] },
      },
      { command: "vkDestroyShaderModule", args: { device, shaderModule: "VkShaderModule#1" } },
      {
        command: "vkUpdateDescriptorSets",
        args: {
          device,
          pDescriptorWrites: [
            write("VkDescriptorSet#1", 0, DYNAMIC, "VkBuffer#1"),
            write("VkDescriptorSet#2", 4, DYNAMIC, "VkBuffer#3"),
            write("VkDescriptorSet#2", 1, DYNAMIC, "VkBuffer#2"),
            write("VkDescriptorSet#2", 2, VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER, "VkBuffer#1"),
          ],
        },
      },
      command("vkBeginCommandBuffer", { pBeginInfo: {} }),
      command("vkCmdBindPipeline", { pipelineBindPoint: 1, pipeline: "VkPipeline#1" }),
      command("vkCmdBindDescriptorSets", {
        pipelineBindPoint: 1,
        layout: "VkPipelineLayout#1",
        firstSet: 2,
        pDescriptorSets: ["VkDescriptorSet#1", "VkDescriptorSet#2"],
        pDynamicOffsets: [256, 512, 768],
      }),
      command("vkCmdDispatch", { groupCountX: 1, groupCountY: 1, groupCountZ: 1 }),
      command("vkEndCommandBuffer"),
      { command: "vkQueueSubmit", args: { queue: "VkQueue#1", pSubmits: [{ pCommandBuffers: [commandBuffer] }] } },
    ];
    writeRecording(path, { lines: lines as RecordedLine[], data: () => new Uint8Array() });
    const recording = openRecording(path), { id } = recording.events.find(({ kind }) => kind === "dispatch")!;
    const { shaders, resources, pipeline } = recording.state(id);
    assertEquals(pipeline, "VkPipeline#1");
    assertEquals(shaders[0].reflection?.descriptors.map(({ name }) => name), ["picture", "results", "scene"]);
    assertEquals(resources.map(({ role, name, facts }) => [role, name, facts.dynamicOffset]), [
      ["set 2 binding 0", "VkBuffer#1", 256],
      ["set 3 binding 4", "VkBuffer#3", 768],
      ["set 3 binding 1", "VkBuffer#2", 512],
      ["set 3 binding 2", "VkBuffer#1", undefined],
    ]);
    const bind = recording.events.find(({ name }) => name === "vkCmdBindPipeline")!;
    assertEquals(recording.state(bind.id).shaders, []);
    assertEquals(recording.state(0), { shaders: [], resources: [], dynamic: {} });
  });
});
